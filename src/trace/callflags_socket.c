/* SPDX-License-Identifier: BSD-2-Clause */
/* callflags_socket.c - names of what system calls of sockets take; see callflags.h. */
#include "config.h"

#include "trace/callflags.h"

#include <netinet/in.h>
#include <sys/socket.h>

#define F(name) { (uint64_t)(uint32_t)(name), #name }
#define SET(array, mask) { array, sizeof(array) / sizeof(array[0]), mask }

static const struct callflag domains[] = {
	F(AF_UNSPEC), F(AF_UNIX), F(AF_INET), F(AF_INET6), F(AF_NETLINK), F(AF_PACKET), F(AF_VSOCK), F(AF_ALG),
	F(AF_BLUETOOTH), F(AF_CAN), F(AF_KEY), F(AF_XDP), F(AF_TIPC), F(AF_RDS),
};
const struct callflags callflags_domain = SET(domains, UINT64_MAX);

#define TYPE_BITS 0xfull                 /* SOCK_TYPE_MASK of include/linux/net.h */
static const struct callflag types[] = {
	F(SOCK_STREAM), F(SOCK_DGRAM), F(SOCK_RAW), F(SOCK_RDM), F(SOCK_SEQPACKET), F(SOCK_PACKET), F(SOCK_CLOEXEC),
	F(SOCK_NONBLOCK),
};
const struct callflags callflags_socket = SET(types, TYPE_BITS);

static const struct callflag ways[] = { F(SHUT_RD), F(SHUT_WR), F(SHUT_RDWR) };
const struct callflags callflags_shutdown = SET(ways, UINT64_MAX);

static const struct callflag levels[] = {
	F(SOL_SOCKET), F(IPPROTO_IP), F(IPPROTO_TCP), F(IPPROTO_UDP), F(IPPROTO_IPV6), F(SOL_NETLINK), F(SOL_PACKET),
};
const struct callflags callflags_sockopt_level = SET(levels, UINT64_MAX);

static const struct callflag messages[] = {
	F(MSG_OOB), F(MSG_PEEK), F(MSG_DONTROUTE), F(MSG_CTRUNC), F(MSG_TRUNC), F(MSG_DONTWAIT), F(MSG_EOR),
	F(MSG_WAITALL), F(MSG_CONFIRM), F(MSG_ERRQUEUE), F(MSG_NOSIGNAL), F(MSG_MORE), F(MSG_WAITFORONE),
	F(MSG_FASTOPEN), F(MSG_CMSG_CLOEXEC),
};
const struct callflags callflags_msg = SET(messages, 0);
