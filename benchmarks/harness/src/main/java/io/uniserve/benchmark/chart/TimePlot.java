package io.uniserve.benchmark.chart;

import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * Plot over time as SVG: axes, bars, lines, marks of events. All plots of a page have the same time axis. The styles are defined by the
 * page, or by {@link TimeSeriesChart}. Not thread-safe.
 */
public final class TimePlot {
    static final int WIDTH = 960;
    private static final int LEFT = 64;
    private static final int RIGHT = 16;
    private static final int TOP = 34;
    private static final int BOTTOM = 26;
    private static final int TICKS_MAX = 12;

    /** Upper bound of the width of a letter, so that event names near an edge stay inside. */
    private static final double LETTER = 7.2;

    private final int height;
    private final double seconds;
    private final double bottom;
    private final double top;
    private final boolean logarithmic;
    private final StringBuilder svg = new StringBuilder();

    private TimePlot(int height, double seconds, double bottom, double top, boolean logarithmic) {
        this.height = height;
        this.seconds = seconds;
        this.bottom = bottom;
        this.top = top;
        this.logarithmic = logarithmic;
        draw("<svg viewBox='0 0 %d %d' role='img'>", WIDTH, height + TOP + BOTTOM);
    }

    /** Creates a plot with values from 0 to slightly above the largest. */
    public static TimePlot linear(int height, double seconds, double largest) {
        return new TimePlot(height, seconds, 0, Math.max(1, largest * 1.1), false);
    }

    /** Creates a plot with values from the smallest to the largest, each rounded to a power of ten. */
    public static TimePlot logarithmic(int height, double seconds, double smallest, double largest) {
        double low = Math.floor(Math.log10(Math.max(0.01, smallest)));
        double high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(0.01, largest))));
        return new TimePlot(height, seconds, low, high, true);
    }

    /** Shades a span of time. */
    public TimePlot shade(double from, double to, String style) {
        draw(
                "<rect class='%s' x='%.1f' y='%d' width='%.1f' height='%d'/>",
                style, x(from), TOP, Math.max(1, x(Math.min(to, seconds)) - x(from)), height);
        return this;
    }

    /** Draws horizontal lines with their values. */
    public TimePlot grid(DoubleFunction<String> label) {
        double step = logarithmic ? 1 : step(top / 4);
        for (double value = bottom; value <= top; value += step) {
            double y = TOP + height * (1 - (value - bottom) / (top - bottom));
            draw("<line class='grid' x1='%d' x2='%d' y1='%.1f' y2='%.1f'/>", LEFT, WIDTH - RIGHT, y, y);
            String text = label.apply(logarithmic ? Math.pow(10, value) : value);
            draw("<text x='%d' y='%.1f' text-anchor='end'>%s</text>", LEFT - 8, y + 4, text);
        }
        double tick = step(seconds / TICKS_MAX);
        for (double second = 0; second <= seconds; second += tick) {
            String text = tick < 1 ? "%.1f s".formatted(second) : "%.0f s".formatted(second);
            draw("<text x='%.1f' y='%d' text-anchor='middle'>%s</text>", x(second), TOP + height + 18, text);
        }
        return this;
    }

    /** Draws a bar over a slice of time, on top of a base value. */
    public TimePlot bar(double from, double width, double base, double value, String style) {
        if (value > 0) {
            draw(
                    "<rect class='%s' x='%.1f' y='%.1f' width='%.1f' height='%.1f'/>",
                    style,
                    x(from) + 0.5,
                    y(base + value),
                    Math.max(1, x(from + width) - x(from) - 1),
                    Math.max(1, y(base) - y(base + value)));
        }
        return this;
    }

    /** Draws a line through the values of slices, each in its middle; NaN interrupts it. */
    public TimePlot line(double width, List<Double> values, String style) {
        StringBuilder path = new StringBuilder();
        boolean on = false;
        for (int i = 0; i < values.size(); i++) {
            double value = values.get(i);
            if (!Double.isNaN(value)) {
                path.append(
                        String.format(Locale.ROOT, "%s%.1f,%.1f", on ? " L" : " M", x((i + 0.5) * width), y(value)));
            }
            on = !Double.isNaN(value);
        }
        draw("<path class='%s' d='%s'/>", style, path.toString().strip());
        return this;
    }

    /** Draws one value at one time. */
    public TimePlot dot(double at, double value, String style) {
        draw("<circle class='%s' cx='%.1f' cy='%.1f' r='1.4'/>", style, x(at), y(value));
        return this;
    }

    /** Marks an event, with its name above the plot, left or right of its line. */
    public TimePlot event(double at, String text, boolean toTheLeft, String style) {
        draw("<line class='%s' x1='%.1f' x2='%.1f' y1='%d' y2='%d'/>", style, x(at), x(at), TOP - 12, TOP + height);
        double room = text.length() * LETTER;
        double end = toTheLeft ? Math.max(room, x(at) - 6) : Math.min(WIDTH - 4, x(at) + 6 + room);
        draw(
                "<text class='%s' x='%.1f' y='%d' text-anchor='%s'>%s</text>",
                style, toTheLeft ? end : end - room, TOP - 14, toTheLeft ? "end" : "start", escape(text));
        return this;
    }

    /** Returns the height of the plot, with its axes. */
    int heightWithAxes() {
        return height + TOP + BOTTOM;
    }

    /** Returns the drawing. */
    public String svg() {
        return svg.append("</svg>").toString();
    }

    /** Returns the next larger of 1, 2, 5, 10, 20, 50, ... times a power of ten. */
    private static double step(double atLeast) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(1e-3, atLeast))));
        for (double factor : new double[] {1, 2, 5}) {
            if (factor * power >= atLeast) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    private double x(double second) {
        return LEFT + (WIDTH - LEFT - RIGHT) * second / Math.max(1e-9, seconds);
    }

    private double y(double value) {
        double place = logarithmic ? Math.log10(Math.max(1e-9, value)) : value;
        return TOP + height * (1 - Math.min(1, Math.max(0, (place - bottom) / (top - bottom))));
    }

    /** Escapes text for SVG or HTML. */
    public static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private void draw(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
