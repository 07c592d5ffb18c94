/* SPDX-License-Identifier: BSD-2-Clause */
/* test_proclist.c - lists of processes, read from a /proc that is made here. */
#include "config.h"

#include "tests/unit/cmocka_all.h"

#include "base/clock.h"
#include "system/proclist.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND NSEC_PER_SEC
#define ID64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct world {
	char dir[64], root[80];
	int proc;
	struct proc_users users;
	struct proclist *list;           /* the last one */
	uint64_t now_ns;
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	snprintf(w->dir, sizeof(w->dir), "/tmp/sberf-test-proc.XXXXXX");
	if (!mkdtemp(w->dir))
		return -1;
	w->proc = open(w->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	w->now_ns = 1000 * SECOND;
	*state = w;
	return w->proc < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;
	char command[128];
	int r;

	snprintf(command, sizeof(command), "rm -rf %s", w->dir);
	r = system(command);
	proclist_unref(w->list);
	proc_users_free(&w->users);
	close(w->proc);
	free(w);
	return r;
}

static void put(const struct world *w, int pid, const char *name, const char *text, size_t len)
{
	char path[128];
	AUTO_FILE FILE *f = NULL;

	snprintf(path, sizeof(path), "%s/%d", w->dir, pid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%d/%s", w->dir, pid, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
}

static void put_stat(const struct world *w, int pid, const char *comm, char letter, unsigned int flags,
		     uint64_t ticks, uint64_t start)
{
	char text[512];
	const int n = snprintf(text, sizeof(text),
			       "%d (%s) %c 1 1 1 0 -1 %u 5 0 0 0 %llu %llu 0 0 20 -5 3 0 %llu 123456 250 1\n", pid,
			       comm, letter, flags, (unsigned long long)(ticks - ticks / 4),
			       (unsigned long long)(ticks / 4), (unsigned long long)start);

	put(w, pid, "stat", text, (size_t)n);
}

static void put_process(const struct world *w, int pid, const char *comm, const char *args, size_t args_len,
			const char *cgroup, uint64_t ticks)
{
	static const char status[] = "Name:\tx\nUid:\t4294967001\t4294967001\t4294967001\t4294967001\nNSpid:\t1\n";
	char line[512];
	const int n = snprintf(line, sizeof(line), "12:memory:/x\n0::%s\n", cgroup);

	put_stat(w, pid, comm, 'S', 4194304, ticks, 100);
	put(w, pid, "status", status, sizeof(status) - 1);
	put(w, pid, "cmdline", args, args_len);
	put(w, pid, "cgroup", line, (size_t)n);
}

/* The list of AFTER_NS later. */
static void read_list(struct world *w, uint64_t after_ns)
{
	struct proclist *l = NULL;
	struct err e = ERR_INIT;

	w->now_ns += after_ns;
	assert_int_equal(proclist_read(w->proc, w->list, &w->users, w->now_ns, 77, NULL, &l, &e), 0);
	proclist_unref(w->list);
	w->list = l;
}

static const struct proc_row *row(const struct world *w, pid_t pid)
{
	for (size_t i = 0; i < w->list->row.n; i++) {
		if (w->list->row.v[i].pid == pid)
			return &w->list->row.v[i];
	}
	return NULL;
}

static void what_is_read(void **state)
{
	static const char args[] = "/usr/bin/Server\0--port\0" "80\0";
	struct world *w = *state;
	const struct proc_row *r;

	put_process(w, 200, "Server", args, sizeof(args) - 1, "/system.slice/server.service", 450);
	put_process(w, 31, "b) R (c", "b\033[2J\n\xFF\0", 7, "/", 10);
	put_stat(w, 2, "kworker/0:1-events", 'I', 2129984, 7, 0);
	put_stat(w, 40, "gone", 'Z', 4194304, 7, 0);
	put_process(w, 77, "sberf", "sberf\0top\0", 10, "/", 3);
	put(w, 41, "stat", "41 (half", 8);
	put(w, 0, "stat", "", 0);
	read_list(w, 0);
	assert_int_equal(w->list->row.n, 3);
	assert_int_equal(w->list->over_ns, 0);
	assert_int_equal(w->list->row.v[0].pid, 2);      /* by pid, whatever the directory says */
	assert_int_equal(w->list->row.v[1].pid, 31);
	r = row(w, 200);
	assert_string_equal(r->name, "Server");
	assert_string_equal(r->command, "/usr/bin/Server --port 80");
	assert_string_equal(r->group, "server");
	assert_string_equal(r->find, "200\nserver\n/usr/bin/server --port 80\nserver");
	assert_string_equal(r->user, "4294967001");
	assert_int_equal(r->threads, 3);
	assert_int_equal(r->rss_bytes, 250 * sysconf(_SC_PAGESIZE));
	assert_int_equal(r->ticks, 450);
	assert_false(r->kthread);
	r = row(w, 31);
	assert_string_equal(r->name, "b) R (c");
	assert_string_equal(r->command, "b\xEF\xBF\xBD[2J\xEF\xBF\xBD\xEF\xBF\xBD");
	assert_string_equal(r->group, "");
	r = row(w, 2);
	assert_true(r->kthread);
	assert_string_equal(r->command, "");
}

/* Since the list before; of what is new, since it began. */
static void cpu_time(void **state)
{
	const uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	struct world *w = *state;

	put_process(w, 10, "a", "a", 1, "/", 5 * hz);
	put_process(w, 11, "b", "b", 1, "/", 0);
	read_list(w, 0);
	assert_int_equal(row(w, 10)->cpu_ns, 5 * SECOND);
	assert_int_equal(row(w, 10)->over_ns, w->now_ns - 100 * SECOND / hz);
	put_stat(w, 10, "a", 'R', 0, 7 * hz, 100);
	put_stat(w, 11, "b", 'R', 0, 0, 100);
	put_process(w, 12, "c", "c", 1, "/", hz);
	put_stat(w, 12, "c", 'R', 0, hz, 1002 * hz);
	read_list(w, 4 * SECOND);
	assert_int_equal(w->list->over_ns, 4 * SECOND);
	assert_int_equal(row(w, 10)->cpu_ns, 2 * SECOND);
	assert_int_equal(row(w, 10)->over_ns, 4 * SECOND);
	assert_int_equal(row(w, 11)->cpu_ns, 0);
	assert_int_equal(row(w, 12)->cpu_ns, SECOND);
	assert_int_equal(row(w, 12)->over_ns, 2 * SECOND);
	/* The number was given to another one. */
	put_stat(w, 10, "new", 'R', 0, hz, 1003 * hz);
	read_list(w, 4 * SECOND);
	assert_int_equal(row(w, 10)->cpu_ns, SECOND);
	assert_int_equal(row(w, 10)->over_ns, 5 * SECOND);
}

/* What did not run did not change: of it, one file is read. */
static void texts_are_kept(void **state)
{
	struct world *w = *state;

	put_process(w, 10, "quiet", "one", 3, "/a/b.scope", 5);
	put_process(w, 11, "busy", "one", 3, "/", 5);
	put_process(w, 12, "execs", "one", 3, "/", 5);
	read_list(w, 0);
	put_process(w, 10, "quiet", "two", 3, "/", 5);
	put_process(w, 11, "busy", "two", 3, "/", 6);
	put_process(w, 12, "another", "two", 3, "/", 5);
	read_list(w, SECOND);
	assert_string_equal(row(w, 10)->command, "one");
	assert_string_equal(row(w, 10)->group, "b");
	assert_string_equal(row(w, 10)->find, "10\nquiet\none\nb");
	assert_string_equal(row(w, 11)->command, "two");
	assert_string_equal(row(w, 12)->command, "two");
}

static void processes_come_and_go(void **state)
{
	struct world *w = *state;
	struct proclist *kept;
	char path[128];

	put_process(w, 10, "a", "a", 1, "/", 5);
	put_process(w, 11, "b", "b", 1, "/", 5);
	read_list(w, 0);
	kept = proclist_ref(w->list);
	snprintf(path, sizeof(path), "%s/11/stat", w->dir);
	/* the directory is there, but not the process: it went just now */
	assert_int_equal(unlink(path), 0);
	put_process(w, 12, "c", "c", 1, "/", 5);
	read_list(w, SECOND);
	assert_int_equal(w->list->row.n, 2);
	assert_null(row(w, 11));
	assert_non_null(row(w, 12));
	assert_int_equal(kept->row.n, 2);                /* who looks at the list before still does */
	assert_string_equal(kept->row.v[1].name, "b");
	proclist_unref(kept);
}

static void orders(void **state)
{
	static const pid_t by_cpu[] = { 11, 12, 10 }, by_name[] = { 12, 10, 11 };
	struct world *w = *state;

	put_process(w, 10, "b", "", 0, "/", 100);
	put_process(w, 11, "c", "", 0, "/", 100);
	put_process(w, 12, "a", "", 0, "/", 500);
	read_list(w, 0);
	put_stat(w, 11, "c", 'R', 0, 200, 100);
	read_list(w, SECOND);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(w->list->row.v[w->list->order[PROC_BY_CPU][i]].pid, by_cpu[i]);
		assert_int_equal(w->list->row.v[w->list->order[PROC_BY_NAME][i]].pid, by_name[i]);
		assert_int_equal(w->list->row.v[w->list->order[PROC_BY_MEMORY][i]].pid, 10 + i);
		assert_int_equal(w->list->row.v[w->list->order[PROC_BY_PID][i]].pid, 10 + i);
	}
}

static void long_command_lines_are_cut(void **state)
{
	struct world *w = *state;
	char args[4 * PROCLIST_COMMAND];

	memset(args, '\x01', sizeof(args));
	put_process(w, 10, "long", args, sizeof(args), "/", 5);
	put_process(w, 11, "blank", "title  \0\0\0\0\0", 12, "/", 5);
	read_list(w, 0);
	assert_int_equal(strlen(row(w, 10)->command), 3 * (PROCLIST_COMMAND - 1));
	assert_string_equal(row(w, 11)->command, "title");
}

static void users_are_learnt(void **state)
{
	static const char status[] = "Name:\tx\nUid:\t0\t0\t0\t0\nNSpid:\t1\n";
	struct world *w = *state;

	put_process(w, 10, "a", "a", 1, "/", 5);
	put_process(w, 11, "b", "b", 1, "/", 5);
	put(w, 11, "status", status, sizeof(status) - 1);
	read_list(w, 0);
	assert_string_equal(row(w, 11)->user, "0");
	assert_true(proc_users_learn(&w->users));
	assert_false(proc_users_learn(&w->users));
	read_list(w, SECOND);
	assert_string_equal(row(w, 11)->user, "root");
	assert_string_equal(row(w, 10)->user, "4294967001");     /* nobody is called so */
}

static void it_can_be_given_up(void **state)
{
	struct world *w = *state;
	const atomic_bool stop = true;
	struct proclist *l = NULL;
	struct err e = ERR_INIT;
	AUTO_FD int file = -1;
	char path[128];

	put_process(w, 10, "a", "a", 1, "/", 5);
	assert_int_equal(proclist_read(w->proc, NULL, &w->users, w->now_ns, 0, &stop, &l, &e), -ECANCELED);
	assert_null(l);
	snprintf(path, sizeof(path), "%s/10/stat", w->dir);
	file = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(proclist_read(file, NULL, &w->users, w->now_ns, 0, NULL, &l, &e), -ENOTDIR);
	assert_non_null(strstr(e.text, "/proc"));
}

/* By what their runtime says of them, read once; else by the path. */
static void containers(void **state)
{
	static const char known[] = "{\"Name\":\"/Web\"}", other[] = "{\"Name\":\"/renamed\"}";
	struct world *w = *state;
	char command[600];

	snprintf(w->root, sizeof(w->root), "%s/root", w->dir);
	w->users.root = w->root;
	put_process(w, 10, "nginx", "nginx", 5, "/docker/" ID64 "/init.scope", 1);
	read_list(w, 0);
	assert_string_equal(row(w, 10)->group, "0123456789ab");
	proc_users_free(&w->users);
	w->users.root = w->root;
	for (int i = 0; i < 2; i++) {
		snprintf(command, sizeof(command), "mkdir -p %s/var/lib/docker/containers/" ID64
			 " && printf '%%s' '%s' >%s/var/lib/docker/containers/" ID64 "/config.v2.json", w->root,
			 i ? other : known, w->root);
		assert_int_equal(system(command), 0);
		put_process(w, 10, "nginx", "nginx", 5, "/docker/" ID64 "/init.scope", 10 + (uint64_t)i);
		read_list(w, SECOND);
		assert_string_equal(row(w, 10)->group, "Web");
		assert_string_equal(row(w, 10)->find, "10\nnginx\nnginx\nweb");
	}
}

static void groups(void **state)
{
	static const char *const names[][2] = {
		{ "/", "" },
		{ "", "" },
		{ "/system.slice/ssh.service", "ssh" },
		{ "/user.slice/user-1000.slice/session-3.scope", "session-3" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-a@1.service/", "app-a@1" },
		{ "/system.slice/docker-" ID64 ".scope", "docker-0123456789ab" },
		{ "/docker/" ID64, "0123456789ab" },
		{ "/docker/" ID64 "/init.scope", "0123456789ab" },
		{ "/kubepods.slice/kubepods-pod12345678_1234.slice/cri-containerd-" ID64 ".scope",
		  "cri-containerd-0123456789ab" },
		{ "/../../machine.slice", "machine" },
		{ "/.service", ".service" },
		{ "/a\033b", "a\xEF\xBF\xBD" "b" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(proc_group_name(names[i][0], text, sizeof(text)), names[i][1]);
	assert_string_equal(proc_group_name("/a-long-name", text, 4), "a-l");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cpu_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(texts_are_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(processes_come_and_go, set_up, tear_down),
		cmocka_unit_test_setup_teardown(orders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(long_command_lines_are_cut, set_up, tear_down),
		cmocka_unit_test_setup_teardown(users_are_learnt, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_can_be_given_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(containers, set_up, tear_down),
		cmocka_unit_test(groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
