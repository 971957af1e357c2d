package io.uniserve.port.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the code in docs/manual/write-a-port.md is the code that this module compiles. */
class GuideTest {
    private static final Path GUIDE = Path.of("..", "..", "docs", "manual", "write-a-port.md");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(?:java|xml|text)\n(.*?)^```");

    @Test
    void snippetsAreLinesOfTheSource() throws IOException {
        List<List<String>> files = sources();
        List<String> strangers = new ArrayList<>();
        List<String> snippets = BLOCK.matcher(Files.readString(GUIDE))
                .results()
                .map(block -> block.group(1))
                .toList();
        for (String snippet : snippets) {
            if (files.stream().noneMatch(file -> Collections.indexOfSubList(file, lines(snippet)) >= 0)) {
                strangers.add(snippet);
            }
        }
        assertThat(strangers)
                .as("snippets of %s that are in no file of ports/lucene", GUIDE)
                .isEmpty();
        assertThat(snippets).hasSizeGreaterThan(10);
    }

    private static List<List<String>> sources() throws IOException {
        List<List<String>> files = new ArrayList<>();
        files.add(lines(Files.readString(Path.of("pom.xml"))));
        try (Stream<Path> found = Files.walk(Path.of("src"))) {
            for (Path file : (Iterable<Path>) found.filter(Files::isRegularFile)::iterator) {
                files.add(lines(Files.readString(file)));
            }
        }
        return files;
    }

    /** Returns the lines without indentation, which differs if a snippet starts deep inside a class. */
    private static List<String> lines(String text) {
        return text.lines().map(String::strip).toList();
    }
}
