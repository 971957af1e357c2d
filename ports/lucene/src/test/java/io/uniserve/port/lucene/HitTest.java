package io.uniserve.port.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HitTest {
    private static Hit hit(String key) {
        return new Hit(1.5, new Document("id", Map.of("id", key)));
    }

    /** Ties are broken by key as in one index, whose order is that of UTF-8. */
    @Test
    void tiesAreCutByCodePoint() {
        List<Hit> sorted = Stream.of(
                        "a",
                        "e\u0301",
                        "\u00e9",
                        "\u0001",
                        "\ud7ff",
                        "\ue000",
                        "\ufb01",
                        "\uffff",
                        "\ud835\udc9c",
                        "\ud83d\ude00")
                .sorted((one, other) -> Arrays.compareUnsigned(
                        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8)))
                .map(HitTest::hit)
                .toList();
        for (int limit = 1; limit <= sorted.size(); limit++) {
            assertThat(Hit.mergeBest(limit, sorted.subList(5, sorted.size()), sorted.subList(0, 5)))
                    .isEqualTo(sorted.subList(0, limit));
        }
    }
}
