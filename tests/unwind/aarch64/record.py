#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record.py OUT CFLAGS...: makes a fixture for tests/unit/test_unwind_aarch64.c.

Compiles program.c for AArch64, runs it in qemu-user and steps through it, instruction by instruction, by the protocol of gdb. Who has called
whom is known by the instructions themselves: a call puts the address behind it on a list, a return takes one off, a signal puts on what
it interrupted. That list is what the unwinder has to find; no call-frame information has a part in it.

	tests/unwind/aarch64/record.py tests/data/unwind/aarch64-plain.bin
	tests/unwind/aarch64/record.py tests/data/unwind/aarch64-pac.bin -mbranch-protection=standard
	tests/unwind/aarch64/record.py tests/data/unwind/aarch64-debug.bin -g -fno-asynchronous-unwind-tables -fno-unwind-tables

Needs gcc-aarch64-linux-gnu and qemu-user-static; the suite needs neither.

The file, in little-endian numbers: "SBFX"; u32 bytes of the ELF file, and these; u64 start, end and file offset of its code in memory; u32
states. Each state says what has changed since the one before: u64, a bit for each register that did (x0-x30 sp pc), and their u64 values;
u32 words of memory that did, of each u64 address and u64 value. Then u32 segments of the stack, of each u64 address, u32 bytes, u32 1 = of a
stack that a signal interrupted; u32 frames, of each u64 address, + 1 if it is a return address.
"""
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 12971
REGS, SP, PC = 33, 31, 32


class Gdb:
    def __init__(self, port):
        for _ in range(100):
            try:
                self.s = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.05)
        self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buf = b""

    def ask(self, text):
        data = text.encode()
        self.s.sendall(b"$" + data + b"#%02x" % (sum(data) & 255))
        while True:
            end = self.buf.find(b"#")
            if end >= 0 and len(self.buf) >= end + 3:
                packet = self.buf[self.buf.find(b"$") + 1:end]
                self.buf = self.buf[end + 3:]
                self.s.sendall(b"+")
                return packet.decode()
            more = self.s.recv(65536)
            if not more:
                return "W00"
            self.buf += more

    def registers(self):
        return list(struct.unpack("<%dQ" % REGS, bytes.fromhex(self.ask("g"))[:REGS * 8]))

    def memory(self, addr, n):
        out = b""
        while len(out) < n:
            part = self.ask("m%x,%x" % (addr + len(out), min(1024, n - len(out))))
            out += bytes.fromhex(part)
        return out


def build(out, flags):
    gcc = ["aarch64-linux-gnu-gcc", "-O2", "-ffreestanding", "-nostdlib", "-fasynchronous-unwind-tables", "-fno-stack-protector", *flags]
    src = os.path.join(HERE, "program.c")
    with tempfile.TemporaryDirectory() as d:
        a, b = os.path.join(d, "a.o"), os.path.join(d, "b.o")
        subprocess.check_call([*gcc, "-fno-omit-frame-pointer", "-c", "-o", a, src])
        subprocess.check_call([*gcc, "-fomit-frame-pointer", "-DOMIT", "-c", "-o", b, src])
        subprocess.check_call([*gcc, "-static", "-Wl,-z,max-page-size=4096,-z,noseparate-code,--build-id=none", "-o", out, a, b])
        subprocess.check_call(["aarch64-linux-gnu-objcopy", "-S", "--keep-section=.debug_frame", out])


def code_of(elf):
    (phoff,), (n,) = struct.unpack_from("<Q", elf, 32), struct.unpack_from("<H", elf, 56)
    for i in range(n):
        kind, flags, offset, vaddr, _, size = struct.unpack_from("<IIQQQQ", elf, phoff + 56 * i)
        if kind == 1 and flags & 1:
            return vaddr, vaddr + size, offset
    sys.exit("record.py: the program has no code")


def is_call(i):
    return i & 0xfc000000 == 0x94000000 or i & 0xfffffc1f == 0xd63f0000


def is_return(i):
    return i & 0xfffffc1f == 0xd65f0000 or i in (0xd65f0bff, 0xd65f0fff)


class Stepper:
    """Steps through the program; frames are those of the callers, outermost first, with 1 added to return addresses."""

    def __init__(self, gdb, elf, code):
        self.gdb, self.elf, self.code = gdb, elf, code
        self.regs = gdb.registers()
        self.frames, self.bases = [], [self.regs[SP]]   # the sp that each stack was entered at

    def step(self):
        before, pc = self.regs, self.regs[PC]
        insn = struct.unpack_from("<I", self.elf, pc - self.code[0] + self.code[2])[0]
        said = self.gdb.ask("s")
        if said[0] in "WX":
            return False
        signal = said[0] in "TS" and int(said[1:3], 16)
        if signal not in (0, 5):        # it stands where it was, or behind the system call that brought it
            pc = self.gdb.registers()[PC]
            if self.gdb.ask("vCont;S%02x" % signal)[0] in "WX":
                return False
            self.regs = self.gdb.registers()
            self.frames += [pc, self.restorer()]
            self.bases.append((before[SP], self.regs[SP]))
            return True
        self.regs = self.gdb.registers()
        if insn == 0xd4000001 and before[8] == 139:
            self.frames = self.frames[:-1]
            if self.regs[PC] - self.frames.pop() not in (0, 4):     # qemu steps over what follows a system call, too
                sys.exit("record.py: a signal returned to %x, not where it came from" % self.regs[PC])
            self.bases.pop()
        elif is_call(insn):
            self.frames.append(pc + 4 + 1)
        elif is_return(insn):
            # What a handler returns to was put on the list by the signal, and is where it runs now.
            top = self.frames[-1]
            if self.regs[PC] != top - top % 2:
                sys.exit("record.py: a return to %x, not %x" % (self.regs[PC], top))
            if top % 2:
                self.frames.pop()
        return True

    def restorer(self):
        return self.code[0] + self.elf.find(bytes.fromhex("681180d2010000d4")) - self.code[2]

    def chain(self):
        f = self.frames
        # In the restorer itself the innermost of the list is where it runs.
        if f and f[-1] % 2 == 0 and f[-1] <= self.regs[PC] < f[-1] + 8:
            f = f[:-1]
        return [self.regs[PC]] + f[::-1]

    def segments(self):
        first = self.bases[0]
        if len(self.bases) == 1 or abs(self.bases[1][0] - self.regs[SP]) < 1 << 20 and self.bases[1][1] < self.bases[1][0]:
            return [(self.regs[SP], first - self.regs[SP], 0)]
        # From the handler's sp up to the end of the signal's frame, and all of the stack below.
        return [(self.regs[SP], self.bases[1][1] + 4688 - self.regs[SP], 0), (self.bases[1][0], first - self.bases[1][0], 1)]


class State:
    """What the reader of the file knows after the states so far."""

    def __init__(self):
        self.regs, self.words = [0] * REGS, {}

    def change(self, s):
        new = [i for i in range(REGS) if s.regs[i] != self.regs[i]]
        out = struct.pack("<Q%dQ" % len(new), sum(1 << i for i in new), *(s.regs[i] for i in new))
        self.regs = list(s.regs)
        words, segments, chain = b"", s.segments(), s.chain()
        for addr, size, _ in segments:
            for i, (word,) in enumerate(struct.iter_unpack("<Q", s.gdb.memory(addr, size))):
                if self.words.get(addr + 8 * i, 0) != word:
                    self.words[addr + 8 * i] = word
                    words += struct.pack("<2Q", addr + 8 * i, word)
        out += struct.pack("<I", len(words) // 16) + words + struct.pack("<I", len(segments))
        for segment in segments:
            out += struct.pack("<QII", *segment)
        return out + struct.pack("<I%dQ" % len(chain), len(chain), *chain)


def main():
    out, flags = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as d:
        program = os.path.join(d, "program")
        build(program, flags)
        elf = open(program, "rb").read()
        code = code_of(elf)
        qemu = subprocess.Popen(["qemu-aarch64-static", "-cpu", "max,pauth-impdef=on", "-g", str(PORT), program])
        try:
            states, known = [], State()
            s = Stepper(Gdb(PORT), elf, code)
            while s.step():
                states.append(known.change(s))
        finally:
            qemu.kill()
            qemu.wait()
    with open(out, "wb") as f:
        f.write(b"SBFX" + struct.pack("<I", len(elf)) + elf + struct.pack("<3QI", *code, len(states)) + b"".join(states))
    print("%s: %d states" % (out, len(states)))


main()
