/* SPDX-License-Identifier: BSD-2-Clause */
/* unit.cc - a short translation unit of C++, as compilers are given all day, for benchmarks that watch one. */
#include <functional>
#include <iostream>
#include <map>
#include <regex>
int main(int argc, char **argv)
{
	std::map<std::string, std::function<int(int)>> m;
	std::regex r("(a|b)*c[[:alpha:]]+");
	for (int i = 0; i < argc; i++)
		m[argv[i]] = [&](int x) { return x + std::regex_match(argv[i], r); };
	for (auto &[k, v] : m)
		std::cout << k << v(1) << std::endl;
}
