package io.uniserve.benchmark.chart;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GroupedBarChartTest {
    @Test
    void everyValueHasABarAndEverySeriesALegend() {
        String svg = new GroupedBarChart("p99 <all>", "ms")
                .bar("ranges", "greedy", 80)
                .bar("ranges", "parallelism", 20)
                .bar("mixed", "greedy", 200)
                .bar("mixed", "parallelism", Double.NaN)
                .bar("mixed", "none", Double.POSITIVE_INFINITY)
                .bar("mixed", "zero", 0)
                .svg();
        assertThat(svg).contains("p99 &lt;all&gt;, ms", "<title>ranges, greedy: 80.0 ms</title>", ">none</text>");
        assertThat(svg.split("<title>", -1)).hasSize(1 + 3);
        assertThat(svg).doesNotContain("NaN", "Infinity").endsWith("</svg>\n");
    }

    @Test
    void withoutAValueThereAreOnlyAxes() {
        assertThat(new GroupedBarChart("nothing", "ms").svg())
                .contains("nothing", "</svg>")
                .doesNotContain("NaN");
    }
}
