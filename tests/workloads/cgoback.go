// SPDX-License-Identifier: BSD-2-Clause

// cgoback - Go calls C, which works, or calls Go back, which works: each on the stack of its own.
package main

/*
#include <stdint.h>
extern uint64_t goBack(uint64_t);
static __attribute__((noinline)) uint64_t c_leaf(uint64_t x)
{
	for (int i = 0; i < 200000; i++)
		x = x * 1103515245u + 12345;
	return x;
}
static __attribute__((noinline)) uint64_t c_mid(uint64_t x, int back)
{
	return (back ? goBack(x) : c_leaf(x)) + 1;
}
*/
import "C"

import (
	"os"
	"time"
)

var sink uint64

//export goBack
func goBack(x C.uint64_t) C.uint64_t {
	y := uint64(x)
	for i := 0; i < 200000; i++ {
		y = y*1103515245 + 12345
	}
	return C.uint64_t(y)
}

//go:noinline
func callC(back C.int) {
	sink += uint64(C.c_mid(C.uint64_t(sink), back))
}

func main() {
	os.Stdout.WriteString("ready\n")
	for from := time.Now(); time.Since(from) < 2*time.Second; {
		callC(0)
		callC(1)
	}
}
