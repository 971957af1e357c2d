package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** All tests named in docs/testing.md exist. */
class TestingDocsTest {
    /** {@code package.Class#method}, or {@code #method} of the previously named class. */
    private static final Pattern NAMED = Pattern.compile("`(?!`)(?:([\\w.]*?)(\\w+(?:Test|IT)))?(?:#(\\w+))?`");

    @Test
    void namedTestsExist() throws IOException {
        String page = Files.readString(ProjectTree.root().resolve("docs/testing.md"));
        List<String> missing = new ArrayList<>();
        List<String> found = new ArrayList<>();
        Optional<Path> source = Optional.empty();
        for (Matcher named = NAMED.matcher(page); named.find(); ) {
            if (named.group(2) != null) {
                source = source(named.group(1).replace('.', '/') + named.group(2));
            }
            boolean there = source.isPresent() && (named.group(3) == null || hasMethod(source.get(), named.group(3)));
            (there ? found : missing).add(named.group());
        }
        assertThat(missing).as("tests that docs/testing.md names").isEmpty();
        assertThat(found).hasSizeGreaterThan(30);
    }

    private static Optional<Path> source(String end) {
        return ProjectTree.sources().stream()
                .filter(file -> ProjectTree.name(file).endsWith("/" + end + ".java"))
                .findFirst();
    }

    private static boolean hasMethod(Path source, String method) throws IOException {
        return Files.readString(source).contains("void " + method + "(");
    }
}
