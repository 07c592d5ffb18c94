/* SPDX-License-Identifier: BSD-2-Clause */
/* test_container.c - which container a cgroup is of, by its path, and what the files of runtimes call it. */
#include "config.h"

#include "system/container.h"
#include "system/pressure.h"

#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2 "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define POD "12345678-1234-5678-9abc-def012345678"
#define POD_ "12345678_1234_5678_9abc_def012345678"
#define ROOTLESS "/user.slice/user-1000.slice/user@1000.service/user.slice"
#define KUBE "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_ ".slice"

static void paths(void **state)
{
	static const struct {
		const char *path, *cut;          /* CUT: what follows its own cgroup */
		int runtime;                     /* -1 = none */
		const char *id, *pod;
	} all[] = {
		{ "/", "", -1, "", "" },
		{ "", "", -1, "", "" },
		{ "/user.slice/user-1000.slice", "", -1, "", "" },
		{ "/init.scope", "", -1, "", "" },
		{ "/system.slice/docker-" ID ".scope", "", CONTAINER_DOCKER, ID, "" },
		{ "/docker/" ID, "", CONTAINER_DOCKER, ID, "" },
		{ "/docker/" ID, "/init", CONTAINER_DOCKER, ID, "" },
		{ KUBE "/cri-containerd-" ID ".scope", "", CONTAINER_CONTAINERD, ID, POD },
		{ KUBE "/crio-" ID ".scope", "/container", CONTAINER_CRIO, ID, POD },
		{ "/kubepods/besteffort/pod" POD "/" ID, "", CONTAINER_UNKNOWN, ID, POD },
		{ "/system.slice/kubepods-pod" POD_ ".slice:cri-containerd:" ID, "", CONTAINER_CONTAINERD, ID, POD },
		{ "/kubepods/pod0123456789abcdef0123456789abcdef/" ID2, "", CONTAINER_UNKNOWN, ID2,
		  "0123456789abcdef0123456789abcdef" },
		{ "/pod-/kubepods-pod", "", -1, "", "" },
		{ "/machine.slice/libpod-" ID ".scope", "/container", CONTAINER_PODMAN, ID, "" },
		{ "/libpod_parent/" ID, "", CONTAINER_PODMAN, ID, "" },
		/* What watches over a container is not in it. */
		{ "/machine.slice/libpod-conmon-" ID ".scope", "", CONTAINER_UNIT, "libpod-conmon-" ID ".scope", "" },
		{ "/lxc.payload.web", "/system.slice", CONTAINER_LXC, "web", "" },
		{ "/lxc/db", "", CONTAINER_LXC, "db", "" },
		/* The innermost one; services in a container are of it. */
		{ "/docker/" ID "/docker/" ID2, "", CONTAINER_DOCKER, ID2, "" },
		{ "/docker/" ID, "/system.slice/nginx.service", CONTAINER_DOCKER, ID, "" },
		{ "/lxc.payload.web", "/system.slice/nginx.service", CONTAINER_LXC, "web", "" },
		{ "/system.slice/nginx.service", "", CONTAINER_UNIT, "nginx.service", "" },
		{ "/user.slice/user@1000.service/app.slice/app-x.scope", "", CONTAINER_UNIT, "app-x.scope", "" },
		{ "/default/" ID, "", CONTAINER_UNKNOWN, ID, "" },
		{ "/a\033b.service", "", CONTAINER_UNIT, "a\xEF\xBF\xBD" "b.service", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct container_place p;
		char path[512];

		snprintf(path, sizeof(path), "%s%s", all[i].path, all[i].cut);
		assert_int_equal(container_parse(path, &p), all[i].runtime >= 0);
		if (all[i].runtime < 0)
			continue;
		assert_string_equal(p.id, all[i].id);
		assert_string_equal(p.pod, all[i].pod);
		assert_int_equal(p.runtime, all[i].runtime);
		assert_int_equal(p.len, strlen(all[i].path));
	}
}

/* A file of ROOT with TEXT, and the folders above it. */
static void put(const char *root, const char *name, const char *text)
{
	char path[512], *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, name);
	for (slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void unlinked(const char *root, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s%s", root, name);
	assert_int_equal(unlink(path), 0);
}

static const char *label_of(const char *root, const char *cgroup, struct container *c)
{
	static char label[CONTAINER_LABEL_MAX];
	struct container_place p;

	assert_true(container_parse(cgroup, &p));
	container_read(root, &p, c);
	return container_label(c, label);
}

static void of_process(void **state)
{
	static const struct {
		const char *text, *path;         /* PATH NULL = in none */
		bool old;
	} all[] = {
		{ "0::/system.slice/docker-" ID ".scope\n", "/system.slice/docker-" ID ".scope", false },
		{ "0::/system.slice/nginx.service\n", "/system.slice/nginx.service", false },
		{ "5:memory:/\n1:name=systemd:/\n0::/\n", "/", false },
		{ "5:cpu,cpuacct:/docker/" ID "\n1:name=systemd:/docker/" ID "\n", "/docker/" ID, true },
		/* The runtime puts its containers into version 1 alone; of version 2, they are in its own unit. */
		{ "3:pids:/docker/" ID "\n0::/system.slice/docker.service\n", "/docker/" ID, true },
		{ "3:pids:/docker/" ID "\n0::/docker/" ID2 "\n", "/docker/" ID2, false },
		{ "9:memory:/\n2:pids:/lxc/db/init.scope\n0::/\n", "/lxc/db/init.scope", true },
		{ "4:cpu:/kubepods/burstable/pod" POD "/" ID "\n", "/kubepods/burstable/pod" POD "/" ID, true },
		/* Nobody is known who runs this. */
		{ "4:memory:/jobs/" ID "\n0::/\n", "/", false },
		{ "4:cpu:/user.slice\n", NULL, false },
		{ "", NULL, false },
		{ "4", NULL, false },
		{ "4:\n:\n::\n", NULL, false },
	};
	char root[] = "/tmp/sberf-containers-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		char path[PROC_PATH_MAX];
		bool old;

		put(root, "/cgroup", all[i].text);
		assert_int_equal(cgroup_read_container(dir, path, sizeof(path), &old), all[i].path != NULL);
		if (all[i].path)
			assert_string_equal(path, all[i].path);
		assert_int_equal(old, all[i].old);
		close(dir);
	}
	unlinked(root, "/cgroup");
	rmdir(root);
}

/* What Podman mounts in its containers names them where no cgroup does; in the mounts of this process nothing is. */
static void of_mounts(void **state)
{
	static const struct {
		const char *cgroup, *mounts, *namespace;
		const char *path;
		bool old;
	} all[] = {
		{ "0::/\n", "9 1 254:0 /srv/vfs/dir/" ID2 " / rw - ext4 /dev/vda rw\n"
		  "10 9 254:0 /run/user/7/containers/vfs-containers/" ID "/userdata/hostname /etc/hostname rw\n",
		  "mnt:[1]", "/libpod-" ID ".scope", true },
		{ "3:memory:/jobs/" ID2 "\n",
		  "10 9 0:50 /storage/overlay-containers/" ID "/userdata/hosts /etc/hosts rw - tmpfs x\n",
		  "mnt:[1]", "/libpod-" ID ".scope", true },
		{ "0::/system.slice/a.service\n", "10 9 0:50 /a-containers/" ID "/userdata/x /x rw\n", NULL,
		  "/system.slice/a.service", false },
		/* The cgroup counts more. */
		{ "0::/docker-" ID2 ".scope\n", "10 9 0:50 /a-containers/" ID "/userdata/x /x rw\n", "mnt:[1]",
		  "/docker-" ID2 ".scope", false },
		/* The id is not where it should be; the folder is where it is mounted, and not what; lines are cut. */
		{ "0::/\n", "10 9 0:50 /a-containers/x" ID "/userdata/x /x rw\n"
		  "10 9 0:50 /a-containers/" ID "/data /x rw\n"
		  "10 9 0:50 / /a-containers/" ID "/userdata/x rw - tmpfs x\n10 9\n10\n\n10 9 0:5 /a-containers/" ID,
		  "mnt:[1]", "/", false },
	};
	char root[] = "/tmp/sberf-containers-XXXXXX", link[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(link, sizeof(link), "%s/ns/mnt", root);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		char path[PROC_PATH_MAX], own[64] = "";
		bool old;

		assert_true(readlink("/proc/self/ns/mnt", own, sizeof(own) - 1) > 0);
		put(root, "/ns/none", "");
		put(root, "/cgroup", all[i].cgroup);
		put(root, "/mountinfo", all[i].mounts);
		assert_int_equal(symlink(all[i].namespace ? all[i].namespace : own, link), 0);
		assert_true(cgroup_find_container(dir, path, sizeof(path), &old));
		assert_string_equal(path, all[i].path);
		assert_int_equal(old, all[i].old);
		unlink(link);
		close(dir);
	}
	unlinked(root, "/cgroup");
	unlinked(root, "/mountinfo");
	unlinked(root, "/ns/none");
	snprintf(link, sizeof(link), "%s/ns", root);
	rmdir(link);
	rmdir(root);
}

static void pressures(void **state)
{
	static const char text[] = "some avg10=84.07 avg60=1.00 avg300=0.00 total=123456\n"
				   "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
	char root[] = "/tmp/sberf-containers-XXXXXX", command[64];
	struct pressure p, all[PRESSURE_NR];
	int dir;

	(void)state;
	assert_true(pressure_parse(text, &p));
	assert_int_equal(p.some_ns, 123456000);
	assert_int_equal(p.full_ns, 7000);
	assert_int_equal(p.now, 8407);
	/* Older kernels have no line "full" of CPUs. */
	assert_true(pressure_parse("some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n", &p));
	assert_int_equal(p.full_ns, PRESSURE_UNKNOWN);
	assert_false(pressure_parse("", &p));
	assert_false(pressure_parse("some avg10=0.00 avg60=0.00 avg300=0.00 total=-1\n", &p));
	assert_false(pressure_parse("some avg10=200.00 avg60=0.00 avg300=0.00 total=1\n", &p));
	assert_false(pressure_parse("some avg10=0.00\nfull avg10=0.00 total=1\n", &p));

	assert_non_null(mkdtemp(root));
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(pressure_read(dir, all), -ENOENT);
	put(root, "/memory.pressure", text);
	assert_int_equal(pressure_read(dir, all), 0);
	assert_int_equal(all[PRESSURE_MEMORY].some_ns, 123456000);
	assert_int_equal(all[PRESSURE_CPU].some_ns, PRESSURE_UNKNOWN);
	close(dir);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	assert_int_equal(system(command), 0);
}

static void names(void **state)
{
	char root[] = "/tmp/sberf-containers-XXXXXX", command[64];
	struct container c;

	(void)state;
	assert_non_null(mkdtemp(root));
	/* No file: the short id. */
	assert_string_equal(label_of(root, "/docker/" ID, &c), "0123456789ab");
	assert_string_equal(c.image, "");
	assert_string_equal(label_of(root, KUBE "/crio-" ID ".scope", &c), "0123456789ab");

	put(root, "/var/lib/docker/containers/" ID "/config.v2.json",
	    "{\"Name\":\"/web\",\"Config\":{\"Image\":\"nginx:1.25\",\"Labels\":{\"a\":\"b\"}}}");
	assert_string_equal(label_of(root, "/docker/" ID, &c), "web");
	assert_string_equal(c.image, "nginx:1.25");

	put(root, "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID2 "/config.json",
	    "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"api\","
	    "\"io.kubernetes.cri.image-name\":\"r/api:2\","
	    "\"io.kubernetes.cri.sandbox-name\":\"api-7f\",\"io.kubernetes.cri.sandbox-namespace\":\"shop\"}}");
	assert_string_equal(label_of(root, KUBE "/cri-containerd-" ID2 ".scope", &c), "shop/api-7f/api");
	assert_string_equal(c.image, "r/api:2");
	/* The path does not say whose it is. */
	assert_string_equal(label_of(root, "/kubepods/pod" POD "/" ID2, &c), "shop/api-7f/api");

	put(root, "/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
	    "{\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\","
	    "\"io.kubernetes.cri.sandbox-name\":\"p\","
	    "\"io.kubernetes.cri.sandbox-namespace\":\"n\"}}");
	assert_string_equal(label_of(root, KUBE "/cri-containerd-" ID ".scope", &c), "n/p/pause");

	put(root, "/run/containers/storage/overlay-containers/" ID "/userdata/config.json",
	    "{\"annotations\":{\"io.kubernetes.container.name\":\"db\",\"io.kubernetes.pod.name\":\"db-0\","
	    "\"io.kubernetes.pod.namespace\":\"data\",\"io.kubernetes.cri-o.ImageName\":\"pg:16\"}}");
	assert_string_equal(label_of(root, KUBE "/crio-" ID ".scope", &c), "data/db-0/db");

	put(root, "/var/lib/containers/storage/overlay-containers/containers.json",
	    "[{\"id\":\"x\"},{\"id\":\"" ID "\","
	    "\"metadata\":\"{\\\"name\\\":\\\"cache\\\",\\\"image-name\\\":\\\"redis\\\"}\"}]");
	assert_string_equal(label_of(root, "/machine.slice/libpod-" ID ".scope", &c), "cache");
	assert_string_equal(c.image, "redis");

	/* Podman of a user: in the home that /etc/passwd says; those of --rm elsewhere. */
	put(root, "/etc/passwd", "ann:x:1000:1000::/people/ann:/bin/sh\n");
	assert_string_equal(label_of(root, ROOTLESS "/libpod-" ID ".scope/container", &c), "0123456789ab");
	put(root, "/people/ann/.local/share/containers/storage/overlay-containers/containers.json",
	    "[{\"id\":\"" ID "\",\"metadata\":\"{\\\"name\\\":\\\"blog\\\",\\\"image-name\\\":\\\"ghost:5\\\"}\"}]");
	assert_string_equal(label_of(root, ROOTLESS "/libpod-" ID ".scope/container", &c), "blog");
	assert_string_equal(c.image, "ghost:5");
	put(root, "/run/user/1000/containers/vfs-containers/volatile-containers.json",
	    "[{\"id\":\"" ID2 "\",\"metadata\":\"{\\\"name\\\":\\\"once\\\"}\"}]");
	assert_string_equal(label_of(root, ROOTLESS "/libpod-" ID2 ".scope/container", &c), "once");
	/* Another user's file is none of hers, and a user without a home has no list. */
	assert_string_equal(label_of(root, "/user.slice/user-1001.slice/libpod-" ID ".scope", &c), "0123456789ab");

	/* Nothing but the logs of its pod. */
	put(root, "/var/log/pods/kube-system_dns-1_" POD "/dns/0.log", "");
	assert_string_equal(label_of(root, KUBE "/crio-" ID2 ".scope", &c), "kube-system/dns-1/fedcba987654");

	assert_string_equal(label_of(root, "/system.slice/nginx.service", &c), "nginx.service");
	assert_string_equal(label_of(root, "/lxc.payload.web", &c), "web");

	/* Hostile: of other types, with control characters, cut off, not regular. */
	put(root, "/var/lib/docker/containers/" ID2 "/config.v2.json", "{\"Name\":[1],\"Config\":\"\\u001b[2J\"}");
	assert_string_equal(label_of(root, "/docker/" ID2, &c), "fedcba987654");
	put(root, "/var/lib/docker/containers/" ID2 "/config.v2.json", "{\"Name\":\"/a\\u001b[2J\"}");
	assert_string_equal(label_of(root, "/docker/" ID2, &c), "a\xEF\xBF\xBD[2J");
	put(root, "/var/lib/docker/containers/" ID2 "/config.v2.json", "{\"Name\":\"/a");
	assert_string_equal(label_of(root, "/docker/" ID2, &c), "fedcba987654");
	snprintf(command, sizeof(command), "rm -rf %s", root);
	assert_int_equal(system(command), 0);    /* NOLINT(cert-env33-c): a name of our own */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(names),
		cmocka_unit_test(of_process),
		cmocka_unit_test(of_mounts),
		cmocka_unit_test(pressures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
