package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/manual/upgrade.md lists every format of files, objects and nodes in the code, with its newest number. */
class UpgradeDocsTest {
    private static final Pattern CONSTANT =
            Pattern.compile("static final (?:int|long|String) (?:\\w*FORMAT\\w*|MAGIC|MARK|VERSION) ="
                    + " (?:\"(?:format=)?)?(0x[\\p{XDigit}_]+|\\d+)");

    /** A row: class in backticks, newest number in the second column. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\| (0x[\\p{XDigit}_]+|\\d+) \\|");

    @Test
    void everyFormatOfTheCodeIsInTheManual() throws IOException {
        assertThat(documented())
                .as("formats in docs/manual/upgrade.md, by the class that reads and writes them")
                .isEqualTo(inCode());
    }

    private static Map<String, String> inCode() throws IOException {
        Map<String, String> formats = new TreeMap<>();
        for (Path source : ProjectTree.sources()) {
            String name = ProjectTree.name(source);
            if (!name.contains("/src/main/") || name.startsWith("benchmarks/")) {
                continue;
            }
            Matcher constant = CONSTANT.matcher(Files.readString(source));
            while (constant.find()) {
                formats.merge(
                        source.getFileName().toString().replace(".java", ""),
                        constant.group(1),
                        UpgradeDocsTest::newest);
            }
        }
        return formats;
    }

    private static String newest(String one, String other) {
        return one.length() != other.length()
                ? one.length() > other.length() ? one : other
                : one.compareTo(other) > 0 ? one : other;
    }

    private static Map<String, String> documented() throws IOException {
        String page = Files.readString(ProjectTree.root().resolve("docs/manual/upgrade.md"));
        Map<String, String> formats = new TreeMap<>();
        Matcher row = ROW.matcher(page);
        while (row.find()) {
            formats.put(row.group(1), row.group(2));
        }
        return formats;
    }
}
