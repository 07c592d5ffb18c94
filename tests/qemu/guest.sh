# SPDX-License-Identifier: BSD-2-Clause
# guest.sh - sourced by the tests of this directory: a small guest with a kernel of Debian's own, under software emulation.
#
# The kernel image is downloaded as a package and unpacked, never installed. The guest's whole file system is an initramfs: busybox,
# the programs under test with the libraries they need, and a script. What the script prints comes out of a virtio port, whose queue
# loses nothing: the serial line of QEMU drops characters where the kernel writes to its console too. The console is for the
# kernel's messages, and for a look at a guest that did not end.
# KVM is not used: nested guests hang on some machines, and emulation boots in seconds. One thread emulates all CPUs: with one for
# each, QEMU (7.2) sometimes goes on executing a breakpoint that the kernel had in its code only while it changed it, which
# attaching to a tracepoint does, and that CPU is lost (seen once in some hundred attachments). Page tables have four levels, and the
# kernel may read user memory at any time (la57, smap): the emulator walks the tables itself, and takes a sixth longer to change
# what may be read with each copy. So these two of a processor are tested by no guest, but by the machine that runs the suite.
# Without erms the kernel clears and copies pages by words and not by bytes, each of which the emulator does by itself: a start of a
# capture takes a third less.

# What every kernel is told. No test is about what mitigations cost, and the emulator runs kernels without them a quarter faster.
GUEST_APPEND='console=ttyS0 quiet panic=-1 mitigations=off'

GUEST_BEGIN='==== guest output begins ===='
GUEST_END='==== guest output ends ===='

# guest_package META: the package with a kernel image that META depends on; nothing when there is none.
guest_package() {
	apt-cache depends "$1" 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}

# guest_fetch CACHE PACKAGE: unpacks it into CACHE/PACKAGE. Others may do the same at the same time: it is there when it is whole.
guest_fetch() {
	local cache=$1 package=$2 new
	mkdir -p "$cache" && new=$(mktemp -d "$cache/new.XXXXXX") || return 1
	if (cd "$new" && apt-get -q download "$package" >&2 && dpkg-deb -x "$package"_*.deb root) && [ ! -e "$cache/$package" ]; then
		mv -T "$new/root" "$cache/$package"
	fi
	rm -rf "$new"
	[ -d "$cache/$package" ]
}

# guest_kernel CACHE [PACKAGE]: prints the path of a kernel image, fetching it into CACHE when it is not there yet. The
# default package is what linux-image-amd64 depends on. Prints nothing and fails when it cannot be had.
guest_kernel() {
	local cache=$1 package=${2:-} image
	[ -n "$package" ] || package=$(guest_package linux-image-amd64)
	image=$(find "$cache" -path "*/${package:-linux-image-*}/boot/vmlinuz-*" 2>/dev/null | head -n 1)
	if [ -z "$image" ] && [ -n "$package" ]; then
		guest_fetch "$cache" "$package" || return 1
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

# guest_tree ROOT SCRIPT: an empty guest with busybox that runs SCRIPT (a busybox sh file) as its only job, which has "await", too.
guest_tree() {
	local root=$1 script=$2 busybox
	busybox=$(command -v busybox) || return 1
	mkdir -p "$root"/bin "$root"/proc "$root"/sys "$root"/dev "$root"/tmp "$root"/etc || return 1
	cp "$busybox" "$root/bin/busybox" && cp "$script" "$root/job.sh" || return 1
	cat >"$root/bin/await" <<-'AWAIT'
		#!/bin/sh
		# await SECONDS TEXT FILE-PATTERN [PID]: until TEXT is in one of the files, looked for anew each time; the end of PID, too, ends it.
		# What did not come is said, so that a guest comes to its end without it.
		tries=$(($1 * 10))
		until grep -qs "$2" $3; do
			if [ $((tries -= 1)) -eq 0 ] || { [ -n "$4" ] && ! kill -0 $4 2>/dev/null; }; then
				echo "await: '$2' did not come in $3 within $1 s${4:+ or the life of $4}"
				exit 1
			fi
			usleep 100000
		done
	AWAIT
	chmod +x "$root/bin/await" || return 1
	printf 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n' >"$root/etc/passwd"
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
		for module in /modules/*; do
			[ ! -e "\$module" ] || insmod "\$module"
		done
		# The port is there a moment after its driver.
		tries=300
		until [ -c /dev/vport0p1 ] && (: >/dev/vport0p1) || [ \$((tries -= 1)) -eq 0 ]; do
			usleep 100000
		done
		[ \$tries -eq 0 ] || exec >/dev/vport0p1
		cd /tmp
		echo '$GUEST_BEGIN'
		sh /job.sh 2>&1
		echo '$GUEST_END'
		sync
		poweroff -f
	INIT
	chmod +x "$root/init"
}

# guest_nodes "CPUS:MB ..." ["FROM-TO:DISTANCE ..."]: options for guest_run, one a line: a machine with NUMA nodes 0, 1, ... that have
# these CPUs (a number or a range) and so much memory. A node without one of them has nothing there: "0-1:512 2-3: :256". Distances are
# 20 where nothing is said, and the same both ways.
guest_nodes() {
	local node id=0 cpus mb total=0 last=0 from to
	declare -A distance
	for node in ${2:-}; do
		distance[${node%:*}]=${node#*:}
	done
	for node in $1; do
		cpus=${node%:*} mb=${node#*:}
		[ -z "$mb" ] || printf '%s\n' -object "memory-backend-ram,id=mem$id,size=${mb}M"
		printf '%s\n' -numa "node,nodeid=$id${cpus:+,cpus=$cpus}${mb:+,memdev=mem$id}"
		total=$((total + ${mb:-0})) last=${cpus:-$last} id=$((id + 1))
	done
	for ((from = 0; from < id; from++)); do
		for ((to = from + 1; to < id; to++)); do
			printf '%s\n' -numa "dist,src=$from,dst=$to,val=${distance[$from-$to]:-20}"
		done
	done
	printf '%s\n' -m "${total}M" -smp "$((${last#*-} + 1))"
}

# guest_archive DIR: what is in it, as a part of an initramfs. Not compressed: an emulated CPU takes longer to unpack it than a disk to read.
guest_archive() {
	(cd "$1" && find . | busybox cpio -o -H newc 2>/dev/null)
}

# guest_modules KERNEL DIR: the modules of the kernel that a virtio port needs, as far as they are not built into it, in order.
guest_modules() {
	local modules=${1%/boot/*}/lib/modules name file n=10
	mkdir -p "$2/modules" || return 1
	for name in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_console; do
		file=$(find "$modules" -name "$name.ko" 2>/dev/null | head -n 1)
		[ -z "$file" ] || cp "$file" "$2/modules/$n-$name.ko" || return 1
		n=$((n + 1))
	done
}

# guest_unpacked KERNEL: what to boot of it: the kernel without its own compression, where that is xz, kept beside it. QEMU can boot that,
# by its PVH entry, and the emulator takes longer to unpack it than for all the rest of the boot. (zstd is quick even so, and then the kernel
# moves itself to a random address, which it does not when it is booted so: 6.12 stands for that.)
guest_unpacked() {
	local image=$1 unpacked=${1/vmlinuz-/vmlinux-} sectors offset length new
	read -r sectors < <(od -An -tu1 -j 0x1f1 -N 1 "$image")
	read -r offset length < <(od -An -tu4 -j 0x248 -N 8 "$image")
	offset=$(((sectors + 1) * 512 + offset))
	if [ ! -e "$unpacked" ] && [ "$(od -An -tx1 -j $offset -N 6 "$image")" = " fd 37 7a 58 5a 00" ] && new=$(mktemp "$unpacked.XXXXXX"); then
		# Its last four bytes are the size of what is in it.
		if tail -c +$((offset + 1)) "$image" | head -c $((length - 4)) | xz -dc >"$new" 2>/dev/null; then
			mv "$new" "$unpacked"
		else
			rm -f "$new"
		fi
	fi
	[ ! -e "$unpacked" ] || image=$unpacked
	printf '%s\n' "$image"
}

# guest_run KERNEL ROOT SECONDS LOG [QEMU OPTIONS...]: boots, waits for the power-off, prints what the job printed. With GUEST_NICE set it
# runs at that niceness, as far as that is permitted: for guests whose clocks are compared with what happens in them. Options of one's own
# come last where the last one counts, and first where the first one does (-accel). Of a guest that does not end, it prints what
# there is, and the end of its console.
guest_run() {
	local kernel=$1 root=$2 seconds=$3 log=$4 parts status
	shift 4
	parts=$(mktemp -d) || return 1
	guest_modules "$kernel" "$parts/root"
	{ guest_archive "$root" && guest_archive "$parts/root"; } >"$parts/initrd"
	rm -f "$log.out"
	timeout "$seconds" nice -n "${GUEST_NICE:-0}" qemu-system-x86_64 -cpu max,la57=off,smap=off,erms=off -m 1024 -smp 2 -nographic -no-reboot -nodefaults \
		-serial "file:$log" -kernel "$(guest_unpacked "$kernel")" -initrd "$parts/initrd" -append "$GUEST_APPEND" \
		-device virtio-serial-pci,ioeventfd=off -chardev "file,id=out,path=$log.out" -device virtserialport,nr=1,chardev=out "$@" \
		-accel tcg,thread=single </dev/null >"$log.qemu" 2>&1
	status=$?
	rm -rf "$parts"
	sed "/^$GUEST_BEGIN\$/d; /^$GUEST_END\$/d" "$log.out"
	[ $status -eq 0 ] && grep -q "$GUEST_END" "$log.out" && return
	echo "# the guest did not end by itself (status $status); the end of its console:"
	cat "$log.qemu" "$log" | tr -d '\r' | tail -n 50 | sed 's/^/# /'
}
