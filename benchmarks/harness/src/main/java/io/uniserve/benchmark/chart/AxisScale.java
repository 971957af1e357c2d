package io.uniserve.benchmark.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Mapping of values to positions between 0 and 1. */
record AxisScale(double low, double high, boolean log) {
    private static final int TICKS = 6;

    static AxisScale of(double low, double high, boolean log) {
        if (!(low <= high)) {
            return new AxisScale(log ? 1 : 0, log ? 10 : 1, log);
        }
        if (log) {
            double from = Math.pow(10, Math.floor(Math.log10(low)));
            double to = Math.pow(10, Math.ceil(Math.log10(high)));
            return new AxisScale(from, to > from ? to : from * 10, true);
        }
        return new AxisScale(low, high > low ? high + 0.05 * (high - low) : low + 1, false);
    }

    double fraction(double value) {
        if (log) {
            return Math.log10(Math.max(value, low) / low) / Math.log10(high / low);
        }
        return (value - low) / (high - low);
    }

    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        if (log) {
            for (double t = low; t <= high * 1.001; t *= 10) {
                ticks.add(t);
            }
            return ticks;
        }
        double raw = (high - low) / TICKS;
        double power = Math.pow(10, Math.floor(Math.log10(raw)));
        double step = raw <= power ? power : raw <= 2 * power ? 2 * power : raw <= 5 * power ? 5 * power : 10 * power;
        for (double t = Math.ceil(low / step) * step; t <= high; t += step) {
            ticks.add(t);
        }
        return ticks;
    }

    static String label(double value) {
        if (value == 0 || (Math.abs(value) >= 0.001 && Math.abs(value) < 1e6)) {
            String text = String.format(Locale.ROOT, "%.3f", value);
            return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
        }
        return String.format(Locale.ROOT, "%.0e", value);
    }
}
