package io.uniserve.benchmark.ycsb.binding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import site.ycsb.Utils;

/** Checks of scans. */
class ScanCheckerTest {
    private final ScanChecker checker = new ScanChecker(new String[] {"user1", "user2", "user3", "user4"}, true);

    private static YcsbRow row(String key) {
        return new YcsbRow(key, Map.of("field0", key + ":field0:12"));
    }

    @Test
    void rightScansPass() {
        assertThat(checker.problem("user2", 2, 1, List.of(row("user2"), row("user3"))))
                .isEmpty();
        assertThat(checker.problem("user3", 9, 1, List.of(row("user3"), row("user4"))))
                .isEmpty();
        // a row that was inserted after the load
        assertThat(checker.problem("user3", 9, 1, List.of(row("user3"), row("user35"), row("user4"))))
                .isEmpty();
        assertThat(checker.problem("user5", 9, 1, List.of())).isEmpty();
    }

    @Test
    void wrongScansAreNamed() {
        assertThat(checker.problem("user2", 2, 1, List.of(row("user2"))))
                .get()
                .asString()
                .contains("1 rows");
        assertThat(checker.problem("user4", 1, 1, List.of(row("user4"), row("user5"))))
                .get()
                .asString()
                .contains("2 rows");
        assertThat(checker.problem("user2", 2, 1, List.of(row("user3"), row("user2"))))
                .get()
                .asString()
                .contains("after");
        assertThat(checker.problem("user2", 2, 1, List.of(row("user2"), row("user2"))))
                .get()
                .asString()
                .contains("after");
        assertThat(checker.problem("user2", 2, 1, List.of(row("user1"), row("user2"))))
                .get()
                .asString()
                .contains("user1");
        assertThat(checker.problem("user4", 1, 2, List.of(row("user4"))))
                .get()
                .asString()
                .contains("1 fields, not 2");
        YcsbRow other = new YcsbRow("user4", Map.of("field0", "user3:field0:12"));
        assertThat(checker.problem("user4", 1, 1, List.of(other)))
                .get()
                .asString()
                .contains("field0 is user3");
    }

    @Test
    void keysAreThoseOfTheLoad() {
        Properties properties = new Properties();
        assertThat(ScanChecker.of(properties)).isEmpty();
        properties.setProperty(ScanChecker.PROPERTY, "true");
        properties.setProperty("recordcount", "3");
        ScanChecker hashed = ScanChecker.of(properties).orElseThrow();
        List<YcsbRow> all = Arrays.stream(new long[] {0, 1, 2})
                .mapToObj(number -> "user" + Utils.hash(number))
                .sorted()
                .map(ScanCheckerTest::row)
                .toList();
        assertThat(hashed.problem("user", 3, 1, all)).isEmpty();
        assertThat(hashed.problem("user", 3, 1, all.subList(1, 3))).isPresent();
        properties.setProperty("insertorder", "ordered");
        properties.setProperty("zeropadding", "3");
        ScanChecker ordered = ScanChecker.of(properties).orElseThrow();
        assertThat(ordered.problem("user001", 9, 1, List.of(row("user001"), row("user002"))))
                .isEmpty();
    }
}
