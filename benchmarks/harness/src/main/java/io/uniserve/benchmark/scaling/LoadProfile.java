package io.uniserve.benchmark.scaling;

/**
 * Target rate over a run: low for a tenth, up in a straight line for three tenths, high for a tenth, down for three tenths, low for the rest
 * (Uniserve paper, figure 10). Immutable.
 *
 * @param seconds duration of the run
 * @param low smallest rate, operations per second
 * @param high largest rate
 */
record LoadProfile(double seconds, double low, double high) {
    private static final double UP_FROM = 0.1;
    private static final double UP_TO = 0.4;
    private static final double DOWN_FROM = 0.5;
    private static final double DOWN_TO = 0.8;

    /** Target rate at a time since the start, operations per second. */
    double rate(double second) {
        double part = Math.max(0, Math.min(1, second / seconds));
        double height = part < UP_FROM
                ? 0
                : part < UP_TO
                        ? (part - UP_FROM) / (UP_TO - UP_FROM)
                        : part < DOWN_FROM ? 1 : Math.max(0, 1 - (part - DOWN_FROM) / (DOWN_TO - DOWN_FROM));
        return low + (high - low) * height;
    }
}
