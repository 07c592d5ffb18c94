// SPDX-License-Identifier: BSD-2-Clause
// shapes.cc - functions of many kinds for the tests of the symbolizer: static, template, inlined, cold, virtual, local.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace shapes {

template <typename T, int N> struct ring {
	T v[N];
	__attribute__((noinline)) T sum() const
	{
		T s{};

		for (const T &x : v)
			s = s + x;
		return s;
	}
};

static inline int squared(int x)
{
	return x * x;
}

static inline int squares_until(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += squared(i) % 7;
	return s;
}

class shape {
public:
	virtual ~shape() {}
	virtual double area() const = 0;
};

class disc : public shape {
	double r;

public:
	explicit disc(double radius) : r(radius) {}
	double area() const override { return 3.14159 * r * r; }
};

class box : public shape {
	double a, b;

public:
	box(double x, double y) : a(x), b(y) {}
	double area() const override { return a * b; }
};

__attribute__((noinline)) double total(const std::vector<shape *> &all)
{
	double s = 0;

	for (const shape *x : all)
		s += x->area();
	return s;
}

} // namespace shapes

static __attribute__((noinline)) int hidden(int n)
{
	if (__builtin_expect(n < 0, 0)) {
		std::fprintf(stderr, "negative: %d\n", n);
		std::abort();
	}
	return shapes::squares_until(n) + shapes::squares_until(n / 2);
}

static __attribute__((noinline)) int sorted(std::vector<int> v)
{
	int calls = 0;

	std::sort(v.begin(), v.end(), [&calls](int a, int b) {
		calls++;
		return a % 10 < b % 10;
	});
	return calls + v[0];
}

static __attribute__((noinline)) size_t words(const char *text)
{
	std::map<std::string, int> count;
	std::string word;

	for (; *text; text++) {
		if (*text == ' ') {
			count[word]++;
			word.clear();
		} else {
			word += *text;
		}
	}
	return count.size();
}

int main(int argc, char **argv)
{
	shapes::ring<int, 4> ints = { { argc, 2, 3, 4 } };
	shapes::ring<double, 8> doubles = { { 1, 2, 3 } };
	std::vector<shapes::shape *> all;
	std::vector<int> v;

	for (int i = 0; i < 100; i++) {
		if (i % 2)
			all.push_back(new shapes::disc(i));
		else
			all.push_back(new shapes::box(i, argc));
		v.push_back(i * 7919 % 101);
	}
	std::printf("%d %f %f %d %d %zu\n", ints.sum(), doubles.sum(), shapes::total(all), hidden(argc * 100), sorted(v),
		    words(argv[0]));
	for (shapes::shape *s : all)
		delete s;
	return 0;
}
