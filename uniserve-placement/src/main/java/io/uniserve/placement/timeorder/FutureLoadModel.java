package io.uniserve.placement.timeorder;

import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.stream.IntStream;

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
    private static final double FINE_STEP = 0.002;
    private static final double BETA_MAX = 3;

    /** Range of the exponent of CPU per scanned row. Noise of ages that are close together would give any slope. */
    private static final double ALPHA_MIN = -3;

    private static final double ALPHA_MAX = 1;

    /** Ratio of the highest to the lowest age that a model needs. */
    public static final double AGES_RATIO_MIN = 2;

    /** Observations of a fit; of more, as many are taken evenly by age, so that a fit takes about a millisecond. */
    static final int OBSERVATIONS_MAX = 128;

    /** Part of the mean below which differences of scanned rows count little. */
    private static final double SMALL = 1e-3;

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

    /** Number of different ages that a model needs. */
    public static final int AGES_MIN = 3;

    /** Returns the CPU time per row and unit of time at this age. */
    public double rate(double age) {
        double x = Math.max(age, AGE_LEAST);
        return a * Math.pow(x, alpha) * (b + c * Math.pow(x, beta));
    }

    /** Returns the usable observations: finite, with an age of 0 or more and CPU time. */
    public static List<Observation> usable(List<Observation> seen) {
        return seen.stream()
                .filter(s -> s.age() >= 0
                        && s.cpuPerScanned() > 0
                        && s.scannedPerRow() >= 0
                        && Double.isFinite(s.age())
                        && Double.isFinite(s.cpuPerScanned())
                        && Double.isFinite(s.scannedPerRow()))
                .toList();
    }

    /** Returns the number of different ages. */
    public static int ages(List<Observation> seen) {
        return (int) seen.stream().mapToDouble(Observation::age).distinct().count();
    }

    /**
     * Returns the root of the mean squared relative error of the CPU time per row, over the usable observations with scanned rows; NaN if
     * there are none.
     */
    public double error(List<Observation> seen) {
        return Math.sqrt(usable(seen).stream()
                .filter(s -> s.scannedPerRow() > 0)
                .mapToDouble(s -> Math.pow(rate(s.age()) / (s.cpuPerScanned() * s.scannedPerRow()) - 1, 2))
                .average()
                .orElse(Double.NaN));
    }

    /** Returns whether there are three different ages, the highest at least twice the lowest, so that {@link #fit} uses the observations. */
    static boolean canFit(List<Observation> seen) {
        List<Observation> usable = usable(seen);
        DoubleSummaryStatistics ages =
                usable.stream().mapToDouble(s -> Math.max(s.age(), AGE_LEAST)).summaryStatistics();
        return ages(usable) >= AGES_MIN && ages.getMax() >= AGES_RATIO_MIN * ages.getMin();
    }

    /** Fits a model by least squares of relative errors. Returns the pooled model unless {@link #canFit} holds. */
    public static FutureLoadModel fit(List<Observation> seen, FutureLoadModel pooled) {
        if (!canFit(seen)) {
            return pooled;
        }
        List<Observation> usable = sample(usable(seen));
        double[] g = fitLine(
                usable.stream()
                        .mapToDouble(s -> Math.log(Math.max(s.age(), AGE_LEAST)))
                        .toArray(),
                usable.stream().mapToDouble(s -> Math.log(s.cpuPerScanned())).toArray());
        Scan coarse = bestScan(usable, -BETA_MAX, -BETA_STEP, BETA_STEP);
        Scan fine = bestScan(usable, coarse.beta - BETA_STEP, Math.min(-FINE_STEP, coarse.beta + BETA_STEP), FINE_STEP);
        Scan scan = fine.error <= coarse.error ? fine : coarse;
        return new FutureLoadModel(Math.exp(g[0]), g[1], scan.b, scan.c, scan.beta);
    }

    private static List<Observation> sample(List<Observation> usable) {
        int size = usable.size();
        if (size <= OBSERVATIONS_MAX) {
            return usable;
        }
        List<Observation> byAge = usable.stream()
                .sorted(Comparator.comparingDouble(Observation::age)
                        .thenComparingDouble(Observation::cpuPerScanned)
                        .thenComparingDouble(Observation::scannedPerRow))
                .toList();
        return IntStream.range(0, OBSERVATIONS_MAX)
                .mapToObj(k -> byAge.get((int) ((long) k * (size - 1) / (OBSERVATIONS_MAX - 1))))
                .toList();
    }

    /** Rows scanned per row, with the sum of squared relative errors. */
    private record Scan(double b, double c, double beta, double error) {}

    private static Scan bestScan(List<Observation> seen, double from, double to, double step) {
        Scan best = scan(seen, from);
        for (double beta = from + step; beta <= to + step / 2; beta += step) {
            Scan next = scan(seen, beta);
            best = next.error < best.error ? next : best;
        }
        return best;
    }

    /** Fits {@code b + c x^beta} for this beta with b and c not below 0. Weights make errors relative. */
    private static Scan scan(List<Observation> seen, double beta) {
        double mean =
                seen.stream().mapToDouble(Observation::scannedPerRow).average().orElse(0);
        double small = Math.max(SMALL * mean, Double.MIN_NORMAL);
        double s0 = 0;
        double sx = 0;
        double sy = 0;
        double sxx = 0;
        double sxy = 0;
        for (Observation one : seen) {
            double x = Math.pow(Math.max(one.age(), AGE_LEAST), beta);
            double y = one.scannedPerRow();
            double weight = 1 / Math.pow(y + small, 2);
            s0 += weight;
            sx += weight * x;
            sy += weight * y;
            sxx += weight * x * x;
            sxy += weight * x * y;
        }
        double below = s0 * sxx - sx * sx;
        double c = Math.abs(below) < 1e-12 * s0 * sxx ? 0 : (s0 * sxy - sx * sy) / below;
        double b = (sy - c * sx) / s0;
        if (c < 0) {
            c = 0;
            b = sy / s0;
        } else if (b < 0) {
            b = 0;
            c = sxy / sxx;
        }
        double error = 0;
        for (Observation one : seen) {
            double y = b + c * Math.pow(Math.max(one.age(), AGE_LEAST), beta);
            error += Math.pow((y - one.scannedPerRow()) / (one.scannedPerRow() + small), 2);
        }
        return new Scan(b, c, beta, error);
    }

    /** Returns intercept and slope; the slope is bounded, and the line passes through the mean. */
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
        double fitted = Math.abs(below) < 1e-300 ? 0 : (n * sxy - sx * sy) / below;
        double slope = Math.max(ALPHA_MIN, Math.min(ALPHA_MAX, fitted));
        return new double[] {(sy - slope * sx) / n, slope};
    }
}
