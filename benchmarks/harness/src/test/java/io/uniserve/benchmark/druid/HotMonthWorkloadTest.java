package io.uniserve.benchmark.druid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Check of answers about one month, which must find wrong ones. */
class HotMonthWorkloadTest {
    private static String line(String part, long quantity) {
        return "1|" + part + "|7|1|" + quantity + "|10.0|0.0|0.0|N|O|1995-01-01|1995-01-02|1995-01-03|NONE|AIR";
    }

    @Test
    void quantitiesAreSumsPerPartInDescendingOrder() {
        assertThat(HotMonthWorkload.topQuantities(
                        List.of(line("1", 5), line("2", 9), line("1", 6), line("3", 11), line("4", 1))))
                .containsExactly(11L, 11L, 9L, 1L);
    }

    @Test
    void onlyTheLargestHundredCount() {
        List<String> lines = new ArrayList<>();
        for (int i = 1; i <= 150; i++) {
            lines.add(line(Integer.toString(i), i));
        }
        List<Long> top = HotMonthWorkload.topQuantities(lines);
        assertThat(top).hasSize(100).startsWith(150L, 149L).endsWith(51L);
    }

    @Test
    void wrongAnswersAreFound() {
        List<Long> right = List.of(11L, 9L);
        String first = answer(row("3", 11, "0.05"), row("2", 9, "0.1"));
        assertThat(HotMonthWorkload.difference(right, first, first)).isEmpty();
        assertThat(HotMonthWorkload.difference(
                        right, first, answer(row("3", 11, "0.0500000000000001"), row("2", 9, "0.1"))))
                .isEmpty();
        assertThat(HotMonthWorkload.difference(right, first, answer(row("3", 11, "0.06"), row("2", 9, "0.1"))))
                .isPresent();
        assertThat(HotMonthWorkload.difference(right, first, answer(row("3", 11, "0.05"), row("2", 8, "0.1"))))
                .get()
                .asString()
                .contains("quantities are [11, 8], not [11, 9]");
        assertThat(HotMonthWorkload.difference(right, first, answer(row("3", 11, "0.05"), row("3", 9, "0.1"))))
                .isPresent();
        assertThat(HotMonthWorkload.difference(right, first, answer(row("3", 11, "0.05"))))
                .isPresent();
        assertThat(HotMonthWorkload.difference(right, first, "[]")).isPresent();
        assertThat(HotMonthWorkload.difference(right, first, "no JSON")).isPresent();
    }

    private static String row(String part, long quantity, String discount) {
        return "{\"l_partkey\":\"" + part + "\",\"l_quantity\":" + quantity + ",\"min_discount\":" + discount + "}";
    }

    private static String answer(String... rows) {
        return "[{\"timestamp\":\"1995-01-01T00:00:00.000Z\",\"result\":[" + String.join(",", rows) + "]}]";
    }
}
