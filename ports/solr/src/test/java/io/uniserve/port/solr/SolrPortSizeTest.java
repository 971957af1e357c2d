package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A port is less than 1,000 lines, planner and merge included. */
class SolrPortSizeTest {
    private static final int LINES_MAX = 1_000;

    @Test
    void mainCodeIsUnderAThousandLines() throws IOException {
        List<String> lines;
        try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
            lines = files.filter(Files::isRegularFile)
                    .flatMap(file -> read(file).stream())
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .toList();
        }
        long withoutImports =
                lines.stream().filter(line -> !line.startsWith("import ")).count();
        long code = lines.stream()
                .filter(line -> !line.startsWith("//") && !line.startsWith("/*") && !line.startsWith("*"))
                .count();
        LoggerFactory.getLogger(SolrPortSizeTest.class)
                .warn(
                        "ports/solr: {} lines that are not blank, {} without imports, {} without comments",
                        lines.size(),
                        withoutImports,
                        code);
        assertThat(withoutImports).as("lines of the port, with comments").isLessThan(LINES_MAX);
        assertThat(code).as("lines of the port, with imports").isLessThan(LINES_MAX);
    }

    private static List<String> read(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
