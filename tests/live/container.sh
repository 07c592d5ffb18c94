#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# container.sh - containers by their names: as target, as roots, as filter, and in a recording that is read where nobody knows them. The
# cgroups are real; what Docker and containerd would have written of them stands in a mount namespace of this test.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
docker=$(printf '%064x' $$)
pod=$(printf 'f%063x' $$)
slice=kubepods.slice/kubepods-pod12345678_1234_5678_9abc_def012345678.slice
[ -n "$root" ] && mkdir "$root/sberf-test-$$" 2>/dev/null || skip_all "no writable cgroup v2"
top=$root/sberf-test-$$
web=$top/system.slice/docker-$docker.scope
api=$top/$slice/cri-containerd-$pod.scope
# shellcheck disable=SC2317  # by trap
leave() {
	local dir
	tap_cleanup
	for dir in ${old:+"$old" "${old%/*}"} "$web/inner" "$web" "$api" "$top/$slice" "$top/kubepods.slice" "$top/system.slice" "$top"; do
		[ ! -d "$dir" ] || wait_until 10 rmdir "$dir" 2>/dev/null
	done
}
trap leave EXIT
mkdir -p "$web/inner" "$api" || skip_all "cgroups cannot be made"
cd "$SCRATCH" || exit 1

mkdir -p "docker/containers/$docker" "containerd/io.containerd.runtime.v2.task/k8s.io/$pod"
echo '{"Name":"/web","Config":{"Image":"nginx:1.25"}}' >"docker/containers/$docker/config.v2.json"
echo '{"annotations":{"io.kubernetes.cri.container-name":"api","io.kubernetes.cri.image-name":"shop/api:2",
	"io.kubernetes.cri.sandbox-name":"api-7f","io.kubernetes.cri.sandbox-namespace":"shop"}}' \
	>"containerd/io.containerd.runtime.v2.task/k8s.io/$pod/config.json"
# knowing COMMAND...: where these files are those of the machine.
knowing() {
	unshare -m bash -c 'mount -t tmpfs none /var/lib && mkdir /var/lib/docker && mount --bind docker /var/lib/docker &&
		mount -t tmpfs none /run && mkdir /run/containerd && mount --bind containerd /run/containerd && exec "$@"' - "$@"
}
# of FILE WHAT OPTIONS...: WHAT of the threads that have time in a recording, each once, by a filter if one is given.
of() {
	local file=$1 what=$2
	shift 2
	"$SBERF" report -i "$file" --format json "$@" | python3 -c '
import json, sys
threads = [t for t in json.load(sys.stdin)["threads"] if any(k.endswith("_ns") and t[k] for k in t)]
print(*sorted({" ".join(str(t.get(k, "-")) for k in sys.argv[1].split()) for t in threads}), sep=", ")' "$what"
}
knowing true 2>err || { cat err; skip_all "no mount namespace can be made"; }

# started DIR: a process that runs in that cgroup; its pid in $pid.
started() {
	bash -c 'while :; do :; done' &
	pid=$!
	also_kill $pid
	echo $pid >"$1/cgroup.procs"
}
started "$web/inner"
first=$pid
started "$api"
second=$pid
started "$root"

knowing "$SBERF" record --container web --duration 0.5 -o web.data >said 2>err
equal "a container of Docker is a target: status" 0 $?
note "$(cat err)"
equal "its processes, and no others" "$first" "$(of web.data pid)"
equal "its name and image" "web nginx:1.25" "$(of web.data "container image")"
if [ -r "$web/cpu.pressure" ]; then
	matches "the pressure of its cgroup is told" \
		"pressure of web: CPU [0-9.]+ %, memory [<0-9.]+ %, I/O [<0-9.]+ % of the time" "$(cat err)"
	equal "and by the list of waits" "$(sed -n 's/^sberf record: \(pressure\)/\1/p' err)" \
		"$("$SBERF" report -i web.data --format waits | head -n 1)"
	equal "and in figures: of whom" web "$(value web.data pressure_of)"
	matches "and for how long" '^[0-9]+ 0$' "$(value web.data pressure_cpu_some_us) $(value web.data pressure_memory_some_us)"
else
	matches "without pressure in this kernel, why" "pressure of web: none, the kernel keeps none" "$(cat err)"
fi
for name in shop/api-7f/api api-7f "${pod:0:64}"; do
	knowing "$SBERF" record --container "$name" --duration 0.2 -o pod.data >said 2>err
	equal "a container in a pod is '$name': its processes" "0 $second" \
		"$? $(of pod.data pid)"
done

# Of all, it is known afterwards who is in which, where there are no such files.
knowing "$SBERF" record -a --duration 0.5 -o all.data >said 2>err
tree=$("$SBERF" report -i all.data --group-by container --ascii --depth 1 2>&1)
matches "containers are roots" 'shop/api-7f/api' "$tree"
matches "also those of Docker" '[^a-z]web[^a-z]' "$tree"
matches "what is in none" 'no container' "$tree"
equal "a filter by name" "$second" "$(of all.data pid --container 'api-7f')"
equal "and by image" "$first" "$(of all.data pid --container nginx)"
"$SBERF" report -i all.data --container nobody >out 2>err
matches "a filter that leaves nothing says so" "there is no container with 'nobody' in its name or image" "$(cat err out)"

# Where the runtime knows version 1 of cgroups alone: by its path there.
old=$(awk '$3 == "cgroup" && $4 ~ /(^|,)pids(,|$)/ { print $2; exit }' /proc/mounts)
if [ -n "$old" ] && mkdir -p "$old/docker/$docker"; then
	old=$old/docker/$docker
	started "$old"
	knowing "$SBERF" record -a --duration 0.3 -o old.data >said 2>err
	matches "in version 1 of cgroups: its name" "$pid web nginx:1.25" "$(of old.data "pid container image" --container web)"
	echo $first >"$web/../../cgroup.procs"
	knowing "$SBERF" record --container web --duration 0.3 -o old.data >said 2>err
	equal "and as target" "0 $pid" "$? $(of old.data pid)"
	echo $first >"$web/inner/cgroup.procs"
	kill $pid
fi

# Where nobody knows its name it has that of its id; what is not there is refused.
"$SBERF" record --container "${docker:0:64}" --duration 0.2 -o id.data >said 2>err
equal "by its id, where no name is known" 0 $?
"$SBERF" record --container sberf-nobody --duration 0.2 -o none.data >said 2>err
equal "a container that is not there: status" 1 $?
equal "one sentence" "sberf record: no container, pod or unit with running processes is called 'sberf-nobody'; key t of 'sberf top -a' shows those that run" \
	"$(cat err)"
# In a container that may not look into other processes: what to add to it.
lesser() {
	unshare --mount --propagation private setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace "$@"
}
if lesser true 2>err; then
	lesser "$SBERF" record --container sberf-nobody --duration 0.2 -o none.data >said 2>err
	matches "without CAP_SYS_PTRACE: what to add" "^sberf record: no container, .*'sberf-nobody', as far as sberf may see: .*--cap-add SYS_PTRACE\)$" \
		"$(cat err)"
	lesser "$SBERF" record -a --duration 0.2 -o none.data >said 2>err
	matches "and for names of functions: how to start it" "CAP_SYS_PTRACE is missing; .*: docker run --pid=host .*--cap-add SYS_PTRACE" "$(cat err)"
else
	skip "$(cat err)" "without CAP_SYS_PTRACE: what to add"
fi
started "$api"
mkdir -p "containerd/io.containerd.runtime.v2.task/default/$docker"
echo '{"annotations":{"nerdctl/name":"web"}}' >"containerd/io.containerd.runtime.v2.task/default/$docker/config.json"
echo '{"annotations":{"nerdctl/name":"web"}}' >"containerd/io.containerd.runtime.v2.task/k8s.io/$pod/config.json"
knowing "$SBERF" record --container web --duration 0.2 -o two.data >said 2>err
matches "two of a name: status and a sentence" "^1 .*'web' is more than one container: web and web \(.*; name one as" "$? $(cat err)"

# A real container, made by runc of a folder with busybox: by its name, with both of its pids.
if command -v runc >/dev/null && command -v busybox >/dev/null; then
	made=$(printf 'e%063x' $$)
	mkdir -p "bundle/rootfs/bin" bundle/rootfs/proc bundle/rootfs/dev bundle/rootfs/sys "docker/containers/$made"
	cp "$(command -v busybox)" bundle/rootfs/bin/sh
	echo '{"Name":"/made","Config":{"Image":"busybox:1"}}' >"docker/containers/$made/config.v2.json"
	runc spec -b bundle
	python3 - "/sberf-test-$$/docker/$made" <<-'PY'
		import json, sys
		spec = json.load(open("bundle/config.json"))
		spec["process"].update(terminal=False, args=["/bin/sh", "-c", "while :; do :; done"], rlimits=[])
		spec["linux"]["cgroupsPath"] = sys.argv[1]
		json.dump(spec, open("bundle/config.json", "w"))
	PY
	if runc --root "$PWD/runc" run -d -b bundle "sberf-$$" </dev/null >runc.out 2>&1; then
		inner=$(runc --root "$PWD/runc" state "sberf-$$" | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')
		knowing "$SBERF" record --container made --duration 0.5 -o made.data >said 2>err
		equal "a container that runc made: by its name, with both pids" "$inner 1 made busybox:1" \
			"$(of made.data "pid pid_inside container image")"
		note "$(cat err)"
	else
		note "$(cat runc.out)"
		skip "runc makes no container here" "a container that runc made"
	fi
	runc --root "$PWD/runc" delete -f "sberf-$$"
	for dir in /sys/fs/cgroup/*/"sberf-test-$$/docker" /sys/fs/cgroup/*/"sberf-test-$$"; do
		[ "$dir" = "$top" ] || rmdir "$dir" 2>/dev/null
	done
else
	skip "runc is not installed" "a container that runc made"
fi
finish
