package io.uniserve.benchmark.chart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Bars in groups on a logarithmic scale, with a legend, as one SVG document. Not thread-safe. */
public final class GroupedBarChart {
    private static final int WIDTH = 820;
    private static final int HEIGHT = 420;
    private static final int LEFT = 70;
    private static final int RIGHT = 150;
    private static final int TOP = 44;
    private static final int BOTTOM = 40;
    /** Part of a group's width without bars. */
    private static final double GAP = 0.2;

    private static final String[] COLOURS = {
        "#8c959f", "#1f5fa8", "#a8871f", "#7a4fa3", "#2b8a4b", "#c8501e", "#3a9aa8", "#b03a6b"
    };

    private final String title;
    private final String unit;
    private final Map<String, Map<String, Double>> groups = new LinkedHashMap<>();
    private final List<String> series = new ArrayList<>();
    private final StringBuilder out = new StringBuilder();

    /** @param unit unit of the values, for the axis */
    public GroupedBarChart(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    /** Adds a bar. Groups and series are in the order of their first bars. A value that is not positive and finite has no bar. */
    public GroupedBarChart bar(String group, String name, double value) {
        groups.computeIfAbsent(group, any -> new LinkedHashMap<>()).put(name, value);
        if (!series.contains(name)) {
            series.add(name);
        }
        return this;
    }

    /** Returns the document. */
    public String svg() {
        out.setLength(0);
        AxisScale axis = axis();
        draw(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='12'>",
                WIDTH, HEIGHT);
        draw("<rect width='%d' height='%d' fill='white'/>", WIDTH, HEIGHT);
        text(LEFT, TOP - 20, "start", title + ", " + unit);
        for (double tick : axis.ticks()) {
            double at = y(axis, tick);
            draw("<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#ddd'/>", LEFT, WIDTH - RIGHT, at, at);
            text(LEFT - 6, at + 4, "end", AxisScale.label(tick));
        }
        int place = 0;
        for (Map.Entry<String, Map<String, Double>> group : groups.entrySet()) {
            drawGroup(place++, group.getKey(), group.getValue(), axis);
        }
        for (int i = 0; i < series.size(); i++) {
            int row = TOP + 8 + 20 * i;
            draw(
                    "<rect x='%d' y='%d' width='14' height='12' fill='%s'/>",
                    WIDTH - RIGHT + 14, row - 10, colour(series.get(i)));
            text(WIDTH - RIGHT + 34, row, "start", series.get(i));
        }
        return out.append("</svg>\n").toString();
    }

    private void drawGroup(int place, String name, Map<String, Double> bars, AxisScale axis) {
        double room = (WIDTH - LEFT - RIGHT) / (double) groups.size();
        double left = LEFT + room * (place + GAP / 2);
        double width = room * (1 - GAP) / series.size();
        for (int i = 0; i < series.size(); i++) {
            Double value = bars.get(series.get(i));
            if (value != null && isDrawn(value)) {
                double top = y(axis, value);
                draw(
                        "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s'><title>%s, %s: %.1f %s</title></rect>",
                        left + i * width,
                        top,
                        Math.max(1, width - 2),
                        HEIGHT - BOTTOM - top,
                        colour(series.get(i)),
                        TimePlot.escape(name),
                        TimePlot.escape(series.get(i)),
                        value,
                        TimePlot.escape(unit));
            }
        }
        text(LEFT + room * (place + 0.5), HEIGHT - BOTTOM + 18, "middle", name);
    }

    private static boolean isDrawn(double value) {
        return value > 0 && Double.isFinite(value);
    }

    private AxisScale axis() {
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (Map<String, Double> bars : groups.values()) {
            for (double value : bars.values()) {
                low = isDrawn(value) ? Math.min(low, value) : low;
                high = isDrawn(value) ? Math.max(high, value) : high;
            }
        }
        return AxisScale.of(low, high, true);
    }

    private String colour(String name) {
        return COLOURS[series.indexOf(name) % COLOURS.length];
    }

    private static double y(AxisScale axis, double value) {
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * axis.fraction(value);
    }

    private void text(double x, double y, String anchor, String words) {
        draw("<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>", x, y, anchor, TimePlot.escape(words));
    }

    private void draw(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
