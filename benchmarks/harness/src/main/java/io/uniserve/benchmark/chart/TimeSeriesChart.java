package io.uniserve.benchmark.chart;

import java.util.Locale;

/** Plots with a common time axis, one below the other, in one self-contained SVG file. Not thread-safe. */
public final class TimeSeriesChart {
    private static final int MARGIN = 16;
    private static final int NAME = 22;
    private static final String STYLE = """
            <style>
            text{font:12px sans-serif;fill:#57606a} text.name{font-size:14px;fill:#1b1f24} .grid{stroke:#d8dee4}
            rect.answers{fill:#54aeff} rect.failed{fill:#cf222e} rect.outage{fill:#fff1e5}
            .p50,.p99{fill:none;stroke-width:1.6} .p50{stroke:#0969da} .p99{stroke:#bc4c00}
            line.kill{stroke:#cf222e;stroke-width:2} text.kill{fill:#cf222e}
            line.back{stroke:#1a7f37;stroke-width:2} text.back{fill:#1a7f37}
            </style>
            """;

    private final StringBuilder plots = new StringBuilder();
    private int height = MARGIN;

    /** Adds a plot below the earlier ones. */
    public TimeSeriesChart plot(String name, TimePlot plot) {
        plots.append(String.format(
                Locale.ROOT,
                "<text class='name' x='%d' y='%d'>%s</text>%n",
                MARGIN,
                height + MARGIN,
                TimePlot.escape(name)));
        plots.append(String.format(
                Locale.ROOT,
                "<svg y='%d' width='%d' height='%d' %s%n",
                height + NAME,
                TimePlot.WIDTH,
                plot.heightWithAxes(),
                plot.svg().substring("<svg ".length())));
        height += NAME + plot.heightWithAxes() + MARGIN;
        return this;
    }

    /** Returns the document. */
    public String svg() {
        return String.format(
                        Locale.ROOT,
                        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d'>%n",
                        TimePlot.WIDTH,
                        height,
                        TimePlot.WIDTH,
                        height)
                + STYLE
                + "<rect width='100%' height='100%' fill='white'/>\n"
                + plots
                + "</svg>\n";
    }
}
