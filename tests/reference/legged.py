"""The slow, obvious twin of what legged gaits are made of: forces, heights and footfalls, by brute force."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

DIP, ONE_HUMP, TWO_HUMPS = 0.35, 0.45, 0.62
WAVES = 4


def smooth_step(s: float) -> float:
    """10 s^3 - 15 s^4 + 6 s^5 between 0 and 1."""
    s = min(max(s, 0.0), 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def force(duty: float, u: Floats) -> Floats:
    """Of one leg, u strides after its touch-down: one hump in a run, two in a walk."""
    u = np.mod(u, 1.0)
    share = DIP * smooth_step((duty - ONE_HUMP) / (TWO_HUMPS - ONE_HUMP))
    s = u / duty
    return np.where(u < duty, np.sin(np.pi * s) + share * np.sin(3.0 * np.pi * s), 0.0)


def rise(offsets: Floats, duty: float, phase: Floats, thrown: float) -> Floats:
    """Height over its mean of a girdle on legs with these offsets; thrown: gravity / rate^2.

    The force's first waves by sums over a fine stride, each integrated twice.
    """
    fine = (np.arange(20000) + 0.5) / 20000
    total = np.sum([force(duty, fine - offset) for offset in offsets], axis=0)
    total /= total.mean()
    height = np.zeros_like(phase)
    for n in range(1, WAVES + 1):
        c = 2.0 * np.mean(total * np.cos(2.0 * np.pi * n * fine))
        s = 2.0 * np.mean(total * np.sin(2.0 * np.pi * n * fine))
        wave = c * np.cos(2.0 * np.pi * n * phase) + s * np.sin(2.0 * np.pi * n * phase)
        height -= thrown / (2.0 * np.pi * n) ** 2 * wave
    return height


def crossings(times: Floats, phase: Floats, offset: Floats, share: Floats) -> Floats:
    """Times at which phase - offset - share passes a whole number, between fine samples."""
    own = phase - offset - share
    found = []
    for k in range(len(own) - 1):
        for number in range(int(np.ceil(own[k])), int(np.floor(own[k + 1])) + 1):
            if own[k] < number <= own[k + 1]:
                at = (number - own[k]) / (own[k + 1] - own[k])
                found.append(times[k] + at * (times[k + 1] - times[k]))
    return np.array(found)
