package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.extra.PackedFilesCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the manual's tables of supported features equal the port's own table. */
class SupportDocsTest {
    private static final Path MANUAL = Path.of("..", "..", "docs", "manual", "solr.md");

    @Test
    void theManualHasEveryRowAndNoOther() throws IOException {
        List<String> manual = Files.readAllLines(MANUAL).stream()
                .filter(line -> line.matches("\\| (parameter|parser|function) \\| `.*"))
                .toList();
        assertThat(manual).containsExactlyElementsOf(rows());
    }

    private static Stream<String[]> lines() {
        return PackedFilesCodec.readResource(SolrLanguage.class, "language.txt")
                .lines()
                .map(line -> line.split(" \\| "));
    }

    private static List<String> rows() {
        Map<String, String> remedies = new HashMap<>();
        List<String> rows = new ArrayList<>();
        for (String[] cells : lines().toList()) {
            if (cells[0].equals("shape")) {
                remedies.put(cells[1], cells[3]);
            } else if (cells[0].equals("yes")) {
                String values = cells[1].equals("parameter") ? remedies.get(cells[3]) : cells[3];
                rows.add("| " + cells[1] + " | " + code(cells[2]) + " | " + values + " |");
            } else if (cells[0].equals("no")) {
                rows.add("| " + cells[1] + " | " + code(cells[2]) + " | " + cells[3] + " |");
            }
        }
        return rows;
    }

    private static String code(String names) {
        return "`" + names + "`";
    }
}
