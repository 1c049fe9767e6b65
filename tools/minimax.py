#!/usr/bin/env python3
# The polynomials of the math functions in include/tfgraph/simd: minimax approximations by Remez's
# exchange, with coefficients rounded to float or double. (Those in the headers may differ in their
# last bits: which rounding is found depends on the order of trials.)
#
#   minimax.py            lists the polynomials that are known here
#   minimax.py NAME ...   prints coefficients, lowest first, and log2 of the error
#
# Needs Debian's python3-mpmath and python3-numpy.
# SPDX-License-Identifier: BSL-1.0
import sys

import numpy
from mpmath import mp, mpf

mp.prec = 260


def rounded(x, bits):
    """x with a significand of so many bits."""
    if x == 0:
        return mpf(0)
    m, e = mp.frexp(x)
    return mp.ldexp(mp.nint(mp.ldexp(m, bits)), e - bits)


def hexadecimal(x, bits):
    text = float(x).hex()
    sign = "-" if text[0] == "-" else ""
    mantissa, exponent = text.lstrip("-")[2:].split("p")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{sign}0x{mantissa}p{int(exponent)}" + ("f" if bits == 24 else "")


def value(c, x):
    y = mpf(0)
    for a in reversed(c):
        y = y * x + a
    return y


class Fit:
    """c[0] + c[1] x + ... close to g(x): weight(x) * (p(x) - g(x)) is as small as possible."""

    def __init__(self, g, low, high, weight, terms):
        self.terms = terms
        n = 48 * terms
        low, high = mpf(low), mpf(high)
        self.x = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (i + mpf(1) / 3) / n) for i in range(n)]
        self.g = [g(x) for x in self.x]
        self.w = [weight(x) for x in self.x]

    def errors(self, c):
        return [w * (value(c, x) - g) for x, g, w in zip(self.x, self.g, self.w)]

    def remez(self):
        """The best coefficients on the points, by exchange of those where the error is largest."""
        terms, n = self.terms, len(self.x)
        at = [(2 * i + 1) * n // (2 * (terms + 1)) for i in range(terms + 1)]
        for _ in range(60):
            a, b = mp.matrix(terms + 1), mp.matrix(terms + 1, 1)
            for row, i in enumerate(at):
                for k in range(terms):
                    a[row, k] = self.x[i] ** k
                a[row, terms] = (-1) ** row / self.w[i]
                b[row] = self.g[i]
            c = list(mp.lu_solve(a, b))[:terms]
            e = self.errors(c)
            # The largest error between each two changes of its sign; of these, the best neighbours.
            peaks = [0]
            for i in range(1, n):
                if (e[i] > 0) != (e[peaks[-1]] > 0):
                    peaks.append(i)
                elif abs(e[i]) > abs(e[peaks[-1]]):
                    peaks[-1] = i
            while len(peaks) > terms + 1:
                del peaks[0 if abs(e[peaks[0]]) < abs(e[peaks[-1]]) else -1]
            if peaks == at:
                break
            at = peaks
        return c

    def rounded(self, bits):
        """The best coefficients, rounded, and then moved by some units where that helps."""
        c = [rounded(a, bits) for a in self.remez()]
        unit = [mp.ldexp(1, mp.frexp(a)[1] - bits) for a in c]
        steps = numpy.array([[float(w * u * x**k) for w, x in zip(self.w, self.x)] for k, u in enumerate(unit)])
        error = numpy.array([float(e) for e in self.errors(c)])
        random = numpy.random.default_rng(1)
        for _ in range(40000):
            move = numpy.zeros(len(c))
            for k in random.integers(len(c), size=random.integers(1, 5)):
                move[k] = random.integers(-3, 4)
            trial = error + move @ steps
            if abs(trial).max() < abs(error).max():
                error = trial
                c = [a + int(m) * u for a, m, u in zip(c, move, unit)]
        return c

    def error(self, c):
        return max(abs(e) for e in self.errors(c))


def log_weight(x, power):
    """x^power divided by the smallest log((1 + x) 2^n), n an integer: what an error does to it."""
    l = mp.log1p(x)
    return abs(x) ** power / (min(abs(l), mp.ln2 - l) if x > 0 else abs(l))


# name: (g, low, high, weight, terms, bits)
def polynomials():
    def log_to(base, simple):
        return lambda f: (mp.log1p(f) / mp.log(base) - simple * f) / f

    def atanh_series(z):
        """R of log(1 + f) = 2 s + s z R(z), s = f / (2 + f), z = s^2."""
        s = mp.sqrt(z)
        return (2 * mp.atanh(s) - 2 * s) / (s * z)

    def atanh_weight(z):
        s = mp.sqrt(z)
        l = 2 * mp.atanh(s)
        return s * z / min(l, mp.ln2 - l)

    def of_root(g):
        return lambda z: g(mp.sqrt(z))

    def stirling(w):
        x = 1 / mp.sqrt(w)
        return (mp.loggamma(x) - ((x - 0.5) * (mp.log(x) - 1) + (mp.log(2 * mp.pi) - 1) / 2)) * x

    half_ln2, eighth = mp.ln2 / 2, (mp.pi / 4 * mpf("1.0001")) ** 2
    exp = (lambda r: (mp.exp(r) - 1 - r) / r**2, -half_ln2, half_ln2, lambda r: r**2 / mp.exp(r))
    sin = (of_root(lambda r: (mp.sin(r) - r) / r**3), 0, eighth, of_root(lambda r: r**3 / mp.sin(r)))
    cos = (of_root(lambda r: (mp.cos(r) - 1 + r * r / 2) / r**4), 0, eighth, of_root(lambda r: r**4 / mp.cos(r)))
    rest = (lambda z: (atanh_series(z) - mpf(2) / 3) / z, 0, mpf(1) / 25, lambda z: z * atanh_weight(z))
    return {
        "exp, float": (*exp, 6, 24),
        "exp, double": (*exp, 11, 53),
        "log, float": (lambda f: (mp.log1p(f) - f) / f**2, -0.25, 0.5, lambda f: log_weight(f, 2), 9, 24),
        "log2, float": (log_to(2, mpf("1.25")), -0.25, 0.5, lambda f: log_weight(f, 1) * mp.ln2, 10, 24),
        "log10, float": (log_to(10, mpf("0.375")), -0.25, 0.5, lambda f: log_weight(f, 1) * mp.log(10), 10, 24),
        "log, double": (atanh_series, 0, mpf(1) / 25, atanh_weight, 8, 53),
        "short_log": (atanh_series, 0, mpf(1) / 25, atanh_weight, 4, 53),
        "precise_log": (*rest, 8, 53),
        "cbrt": (lambda v: mp.cbrt(1 / v), mpf(3) / 8, 3, mp.cbrt, 7, 24),
        "sin, float": (*sin, 3, 24),
        "cos, float": (*cos, 3, 24),
        "sin, double": (*sin, 6, 53),
        "cos, double": (*cos, 6, 53),
        "short_stirling": (stirling, mpf(2) ** -40, mpf(1) / 16, lambda w: mp.sqrt(w) / mp.loggamma(1 / mp.sqrt(w)), 4, 53),
        "short_lgamma": (lambda d: mp.loggamma(2 + d) / d, -0.5, 0.5, lambda d: d / mp.loggamma(2 + d), 10, 53),
        "short_tgamma": (lambda d: (mp.gamma(2 + d) - 1) / d, -0.5, 0.5, lambda d: abs(d) / mp.gamma(2 + d), 10, 53),
    }


def main():
    known = polynomials()
    if len(sys.argv) == 1:
        print("\n".join(known))
    for name in sys.argv[1:]:
        g, low, high, weight, terms, bits = known[name]
        fit = Fit(g, low, high, weight, terms)
        c = fit.rounded(bits)
        print(f"{name}: error 2^{float(mp.log(fit.error(c), 2)):.1f}")
        print("  {" + ", ".join(hexadecimal(a, bits) for a in c) + "}")


main()
