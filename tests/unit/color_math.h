/*
 * Colour arithmetic of the tests, independent of the program's: contrast, and how far apart two
 * colours are, also for eyes that lack a kind of cone.
 */
#ifndef TDTOP_TESTS_COLOR_MATH_H
#define TDTOP_TESTS_COLOR_MATH_H

#include <math.h>
#include <stdint.h>

static double linear(int channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void linear_rgb(int32_t rgb, double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = linear(rgb >> (16 - 8 * i) & 255);
}

/* WCAG 2.1, "contrast ratio": 1 (none) to 21 (black on white). */
static inline double contrast(int32_t a, int32_t b) {
    double l[2];
    const int32_t rgb[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        double c[3];
        linear_rgb(rgb[i], c);
        l[i] = 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2] + 0.05;
    }
    return l[0] > l[1] ? l[0] / l[1] : l[1] / l[0];
}

static void multiply(const double m[3][3], const double in[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = m[i][0] * in[0] + m[i][1] * in[1] + m[i][2] * in[2];
}

/*
 * How the colour is seen, as linear sRGB: full vision and the three dichromacies, by Machado,
 * Oliveira, Fernandes, "A physiologically-based model for simulation of color vision deficiency"
 * (2009), severity 1.0.
 */
static const struct vision {
    const char *name;
    double m[3][3];
} visions[] = {
    {"full", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"protanopia",
     {{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {"deuteranopia",
     {{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {"tritanopia",
     {{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
};

enum { VISIONS = sizeof(visions) / sizeof(visions[0]) };

/* Linear sRGB -> CIE L*a*b*, white D65 (IEC 61966-2-1, CIE 15). */
static void cielab(const double rgb[3], double lab[3]) {
    static const double to_xyz[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                        {0.2126729, 0.7151522, 0.0721750},
                                        {0.0193339, 0.1191920, 0.9503041}};
    static const double white[3] = {0.95047, 1, 1.08883};
    double xyz[3], f[3];
    multiply(to_xyz, rgb, xyz);
    for (int i = 0; i < 3; i++) {
        const double t = xyz[i] / white[i];
        f[i] = t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

static double degrees(double b, double a) {
    const double d = a == 0 && b == 0 ? 0 : atan2(b, a) * 180 / M_PI;
    return d < 0 ? d + 360 : d;
}

static double cosd(double d) {
    return cos(d * M_PI / 180);
}

/* The mean of two hues, on the shorter way round. */
static double mean_hue(double h1, double h2) {
    if (fabs(h1 - h2) <= 180)
        return (h1 + h2) / 2;
    return h1 + h2 < 360 ? (h1 + h2 + 360) / 2 : (h1 + h2 - 360) / 2;
}

/*
 * Delta E 2000 by Sharma, Wu, Dalal, "The CIEDE2000 color-difference formula: implementation
 * notes, supplementary test data, and mathematical observations" (2005): about 1 is just
 * noticeable side by side.
 */
static double ciede2000(const double lab1[3], const double lab2[3]) {
    const double c_mean7 = pow((hypot(lab1[1], lab1[2]) + hypot(lab2[1], lab2[2])) / 2, 7);
    const double g = 1.5 - 0.5 * sqrt(c_mean7 / (c_mean7 + 6103515625.0)); /* 25^7 */
    const double a1 = g * lab1[1], a2 = g * lab2[1];
    const double c1 = hypot(a1, lab1[2]), c2 = hypot(a2, lab2[2]), c = (c1 + c2) / 2;
    const double h1 = degrees(lab1[2], a1), h2 = degrees(lab2[2], a2);
    double dh = h2 - h1;
    dh = c1 * c2 == 0 ? 0 : dh > 180 ? dh - 360 : dh < -180 ? dh + 360 : dh;
    const double h = c1 * c2 == 0 ? h1 + h2 : mean_hue(h1, h2);
    const double t = 1 - 0.17 * cosd(h - 30) + 0.24 * cosd(2 * h) + 0.32 * cosd(3 * h + 6) -
                     0.20 * cosd(4 * h - 63);
    const double l = (lab1[0] + lab2[0]) / 2 - 50, c7 = pow(c, 7);
    const double dl = (lab2[0] - lab1[0]) / (1 + 0.015 * l * l / sqrt(20 + l * l));
    const double dc = (c2 - c1) / (1 + 0.045 * c);
    const double dhue = 2 * sqrt(c1 * c2) * sin(dh * M_PI / 360) / (1 + 0.015 * c * t);
    const double turn = 2 * sqrt(c7 / (c7 + 6103515625.0)) *
                        sin(M_PI / 3 * exp(-((h - 275) / 25) * ((h - 275) / 25)));
    return sqrt(dl * dl + dc * dc + dhue * dhue - turn * dc * dhue);
}

/*
 * CIE76 (CIE 15: the distance in L*a*b*) as seen with deuteranopia by another model: Vienot,
 * Brettel, Mollon, "Digital video colourmaps for checking the legibility of displays by dichromats"
 * (1999), as one matrix on linear sRGB.
 */
static inline double deuteranopia_cie76(int32_t a, int32_t b) {
    static const double m[3][3] = {
        {0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}};
    double lab[2][3];
    const int32_t rgb[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        double full[3], seen[3];
        linear_rgb(rgb[i], full);
        multiply(m, full, seen);
        cielab(seen, lab[i]);
    }
    return hypot(hypot(lab[0][0] - lab[1][0], lab[0][1] - lab[1][1]), lab[0][2] - lab[1][2]);
}

/* How far apart two colours are as seen with a vision. */
static inline double seen_distance(const struct vision *v, int32_t a, int32_t b) {
    double lab[2][3];
    const int32_t rgb[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        double full[3], seen[3];
        linear_rgb(rgb[i], full);
        multiply(v->m, full, seen);
        for (int k = 0; k < 3; k++)
            seen[k] = fmin(fmax(seen[k], 0), 1);
        cielab(seen, lab[i]);
    }
    return ciede2000(lab[0], lab[1]);
}

#endif
