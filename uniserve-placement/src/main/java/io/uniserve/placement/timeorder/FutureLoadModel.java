package io.uniserve.placement.timeorder;

import java.util.List;

/**
 * Model of the future load of a time-ordered actor, as in EASY. CPU per scanned row falls with age as {@code g(x) = a x^alpha}, rows
 * scanned per row as {@code h(x) = b + c x^beta}. The future load is rows times the integral of g h from now to expiry.
 *
 * @param a CPU per scanned row at age 1
 * @param alpha its exponent
 * @param b rows scanned per row that do not depend on age
 * @param c rows scanned per row that depend on age, at age 1
 * @param beta their exponent
 */
public record FutureLoadModel(double a, double alpha, double b, double c, double beta) {
    private static final double AGE_LEAST = 1e-3;
    private static final double BETA_STEP = 0.05;

    /**
     * Observation of an actor at one time.
     *
     * @param age in any unit, the same for all
     * @param cpuPerScanned CPU time per scanned row
     * @param scannedPerRow rows scanned per row of the actor and unit of time
     */
    public record Observation(double age, double cpuPerScanned, double scannedPerRow) {}

    /** Returns the load from {@code age} to {@code expiry} of an actor with this many rows; 0 after its expiry. */
    public double predict(double rows, double age, double expiry) {
        double from = Math.max(age, AGE_LEAST);
        if (expiry <= from) {
            return 0;
        }
        return rows * a * (b * power(from, expiry, alpha) + c * power(from, expiry, alpha + beta));
    }

    /** Returns the integral of x^p from x0 to x1. It is exact also near p = -1, where the usual closed form loses precision. */
    static double power(double x0, double x1, double p) {
        double q = p + 1;
        double span = Math.log(x1 / x0);
        double part = Math.abs(q * span) < 1e-12 ? span : Math.expm1(q * span) / q;
        return Math.pow(x0, q) * part;
    }

    /** Fits a model by least squares. Returns the pooled model unless there are three different ages. */
    public static FutureLoadModel fit(List<Observation> seen, FutureLoadModel pooled) {
        List<Observation> usable = seen.stream()
                .filter(s -> s.cpuPerScanned() > 0 && s.scannedPerRow() >= 0)
                .toList();
        if (usable.stream().mapToDouble(Observation::age).distinct().count() < 3) {
            return pooled;
        }
        double[] g = fitLine(
                usable.stream()
                        .mapToDouble(s -> Math.log(Math.max(s.age(), AGE_LEAST)))
                        .toArray(),
                usable.stream().mapToDouble(s -> Math.log(s.cpuPerScanned())).toArray());
        double best = Double.POSITIVE_INFINITY;
        FutureLoadModel fitted = pooled;
        double[] y = usable.stream().mapToDouble(Observation::scannedPerRow).toArray();
        for (double beta = -3; beta <= -BETA_STEP / 2; beta += BETA_STEP) {
            double power = beta;
            double[] x = usable.stream()
                    .mapToDouble(s -> Math.pow(Math.max(s.age(), AGE_LEAST), power))
                    .toArray();
            double[] h = fitLine(x, y);
            double error = 0;
            for (int n = 0; n < x.length; n++) {
                error += Math.pow(h[0] + h[1] * x[n] - y[n], 2);
            }
            if (error < best && h[0] >= -1e-9 && h[1] >= 0) {
                best = error;
                fitted = new FutureLoadModel(Math.exp(g[0]), g[1], Math.max(0, h[0]), h[1], beta);
            }
        }
        return fitted;
    }

    /** Returns intercept and slope. */
    private static double[] fitLine(double[] x, double[] y) {
        double n = x.length;
        double sx = 0;
        double sy = 0;
        double sxx = 0;
        double sxy = 0;
        for (int k = 0; k < x.length; k++) {
            sx += x[k];
            sy += y[k];
            sxx += x[k] * x[k];
            sxy += x[k] * y[k];
        }
        double below = n * sxx - sx * sx;
        double slope = Math.abs(below) < 1e-300 ? 0 : (n * sxy - sx * sy) / below;
        return new double[] {(sy - slope * sx) / n, slope};
    }
}
