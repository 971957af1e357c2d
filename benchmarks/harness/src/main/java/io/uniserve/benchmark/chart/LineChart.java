package io.uniserve.benchmark.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Line chart with axes and a legend, as one SVG document. Either axis may be logarithmic. Not thread-safe. */
public final class LineChart {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 420;
    private static final int LEFT = 78;
    private static final int RIGHT = 190;
    private static final int TOP = 40;
    private static final int BOTTOM = 52;
    private static final double LOG_LEAST = 1e-9;
    private static final String[] COLOURS = {
        "#1f5fa8", "#c8501e", "#2b8a4b", "#7a4fa3", "#a8871f", "#b03a6b", "#3a9aa8", "#555555", "#8a5a2b"
    };

    private record Line(String name, double[] x, double[] y) {}

    private final String title;
    private final String xName;
    private final String yName;
    private final boolean xLog;
    private final boolean yLog;
    private final List<Line> lines = new ArrayList<>();

    public LineChart(String title, String xName, String yName, boolean xLog, boolean yLog) {
        this.title = title;
        this.xName = xName;
        this.yName = yName;
        this.xLog = xLog;
        this.yLog = yLog;
    }

    /** Adds a line; points must be in the order of x. */
    public LineChart line(String name, List<double[]> points) {
        double[] x = points.stream().mapToDouble(p -> p[0]).toArray();
        double[] y = points.stream().mapToDouble(p -> p[1]).toArray();
        lines.add(new Line(name, x, y));
        return this;
    }

    /** Returns the document. */
    public String svg() {
        AxisScale x = axis(true);
        AxisScale y = axis(false);
        StringBuilder out = new StringBuilder();
        draw(
                out,
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='12'>",
                WIDTH,
                HEIGHT);
        draw(out, "<rect width='%d' height='%d' fill='white'/>", WIDTH, HEIGHT);
        text(out, LEFT, TOP - 16, "start", title);
        for (double tick : x.ticks()) {
            double at = px(x, tick);
            draw(out, "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='#ddd'/>", at, at, TOP, HEIGHT - BOTTOM);
            text(out, at, HEIGHT - BOTTOM + 16, "middle", AxisScale.label(tick));
        }
        for (double tick : y.ticks()) {
            double at = py(y, tick);
            draw(out, "<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#ddd'/>", LEFT, WIDTH - RIGHT, at, at);
            text(out, LEFT - 6, at + 4, "end", AxisScale.label(tick));
        }
        text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle", xName);
        draw(
                out,
                "<text transform='translate(16 %d) rotate(-90)' text-anchor='middle'>%s</text>",
                (TOP + HEIGHT - BOTTOM) / 2,
                escape(yName));
        for (int n = 0; n < lines.size(); n++) {
            plot(out, n, x, y);
        }
        return out.append("</svg>\n").toString();
    }

    private void plot(StringBuilder out, int n, AxisScale x, AxisScale y) {
        Line line = lines.get(n);
        String colour = COLOURS[n % COLOURS.length];
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < line.x().length; i++) {
            if (Double.isFinite(line.y()[i])) {
                double atX = px(x, line.x()[i]);
                double atY = py(y, line.y()[i]);
                path.append(String.format(Locale.ROOT, "%s%.1f,%.1f", path.isEmpty() ? "M" : " L", atX, atY));
                draw(out, "<circle cx='%.1f' cy='%.1f' r='2.6' fill='%s'/>", atX, atY, colour);
            }
        }
        draw(out, "<path d='%s' fill='none' stroke='%s' stroke-width='1.6'/>", path, colour);
        int row = TOP + 8 + 18 * n;
        draw(
                out,
                "<line x1='%d' x2='%d' y1='%d' y2='%d' stroke='%s' stroke-width='3'/>",
                WIDTH - RIGHT + 12,
                WIDTH - RIGHT + 30,
                row,
                row,
                colour);
        text(out, WIDTH - RIGHT + 36, row + 4, "start", line.name());
    }

    private AxisScale axis(boolean horizontal) {
        boolean log = horizontal ? xLog : yLog;
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (Line line : lines) {
            for (double v : horizontal ? line.x() : line.y()) {
                if (Double.isFinite(v)) {
                    low = Math.min(low, log ? Math.max(v, LOG_LEAST) : v);
                    high = Math.max(high, log ? Math.max(v, LOG_LEAST) : v);
                }
            }
        }
        return AxisScale.of(log || horizontal ? low : Math.min(0, low), high, log);
    }

    private double px(AxisScale axis, double value) {
        return LEFT + (WIDTH - LEFT - RIGHT) * axis.fraction(value);
    }

    private double py(AxisScale axis, double value) {
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * axis.fraction(value);
    }

    private static void text(StringBuilder out, double x, double y, String anchor, String words) {
        draw(out, "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>", x, y, anchor, escape(words));
    }

    private static String escape(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static void draw(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
