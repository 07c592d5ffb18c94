# SPDX-License-Identifier: BSD-2-Clause
# guest.sh - sourced by the tests of this directory: a small guest with a kernel of Debian's own, under software emulation.
#
# The kernel image is downloaded as a package and unpacked, never installed. The guest's whole file system is an initramfs: busybox,
# the programs under test with the libraries they need, and a script that prints TAP between two markers on the serial console.
# KVM is not used: nested guests hang on some machines, and emulation boots in seconds. One thread emulates all CPUs: with one for
# each, QEMU (7.2) sometimes goes on executing a breakpoint that the kernel had in its code only while it changed it, which
# attaching to a tracepoint does, and that CPU is lost (seen once in some hundred attachments).

GUEST_BEGIN='==== guest output begins ===='
GUEST_END='==== guest output ends ===='

# guest_package META: the package with a kernel image that META depends on; nothing when there is none.
guest_package() {
	apt-cache depends "$1" 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}

# guest_kernel CACHE [PACKAGE]: prints the path of a kernel image, fetching it into CACHE when it is not there yet. The
# default package is what linux-image-amd64 depends on. Prints nothing and fails when it cannot be had.
guest_kernel() {
	local cache=$1 package=${2:-} image
	[ -n "$package" ] || package=$(guest_package linux-image-amd64)
	image=$(find "$cache" -path "*/${package:-linux-image-*}/boot/vmlinuz-*" 2>/dev/null | head -n 1)
	if [ -z "$image" ] && [ -n "$package" ]; then
		mkdir -p "$cache/$package" || return 1
		(cd "$cache" && apt-get -q download "$package" >&2 && dpkg-deb -x "$package"_*.deb "$package" && rm -f "$package"_*.deb) || return 1
		image=$(find "$cache/$package/boot" -name 'vmlinuz-*' | head -n 1)
	fi
	[ -n "$image" ] && printf '%s\n' "$image"
}

# guest_add ROOT FILE [AS]: copies a program or file into the guest's tree, with the shared libraries that it needs.
guest_add() {
	local root=$1 file=$2 as=${3:-$2} lib
	mkdir -p "$root/$(dirname "$as")" && cp -L "$file" "$root/$as" || return 1
	ldd "$file" 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | while read -r lib; do
		[ -e "$root/$lib" ] || { mkdir -p "$root/$(dirname "$lib")" && cp -L "$lib" "$root/$lib"; }
	done
}

# guest_tree ROOT SCRIPT: an empty guest with busybox that runs SCRIPT (a busybox sh file) as its only job.
guest_tree() {
	local root=$1 script=$2 busybox
	busybox=$(command -v busybox) || return 1
	mkdir -p "$root"/bin "$root"/proc "$root"/sys "$root"/dev "$root"/tmp "$root"/etc || return 1
	cp "$busybox" "$root/bin/busybox" && cp "$script" "$root/job.sh" || return 1
	printf 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n' >"$root/etc/passwd"
	cat >"$root/init" <<-INIT
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		mount -t tmpfs tmp /tmp
		mkdir -p /sys/fs/cgroup
		mount -t cgroup2 cgroup /sys/fs/cgroup
		export PATH=/bin:/usr/bin HOME=/tmp TERM=linux
		cd /tmp
		echo '$GUEST_BEGIN'
		sh /job.sh 2>&1
		echo '$GUEST_END'
		sync
		poweroff -f
	INIT
	chmod +x "$root/init"
}

# guest_run KERNEL ROOT SECONDS LOG [QEMU OPTIONS...]: boots, waits for the power-off, prints what the job printed.
guest_run() {
	local kernel=$1 root=$2 seconds=$3 log=$4 initrd
	shift 4
	initrd=$(mktemp) || return 1
	(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$initrd"
	timeout "$seconds" qemu-system-x86_64 -accel tcg,thread=single -cpu max -m 1024 -smp 2 -nographic -no-reboot -nodefaults \
		-serial "file:$log" -kernel "$kernel" -initrd "$initrd" -append 'console=ttyS0 quiet panic=-1' "$@" </dev/null >"$log.qemu" 2>&1
	local status=$?
	rm -f "$initrd"
	[ $status -eq 0 ] || echo "# the guest did not end by itself (status $status); its console is in $log"
	tr -d '\r' <"$log" | sed -n "/$GUEST_BEGIN/,/$GUEST_END/p" | sed '1d;$d'
}
