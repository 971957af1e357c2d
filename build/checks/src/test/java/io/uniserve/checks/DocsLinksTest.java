package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Relative links in the documentation lead to existing files and headings, and index pages are complete. */
class DocsLinksTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|`[^`\n]*`");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    @Test
    void relativeLinksResolve() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            String text = CODE.matcher(Files.readString(page)).replaceAll("");
            for (String link : LINK.matcher(text).results().map(m -> m.group(1)).toList()) {
                if (!ELSEWHERE.matcher(link).matches() && !resolves(page, link)) {
                    broken.add(ProjectTree.name(page) + " -> " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void indexesNameEveryPage() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path folder : List.of(Path.of("docs/adr"), Path.of("docs/manual"))) {
            String index = Files.readString(ProjectTree.root().resolve(folder).resolve("README.md"));
            try (Stream<Path> files = Files.list(ProjectTree.root().resolve(folder))) {
                files.map(file -> String.valueOf(file.getFileName()))
                        .filter(name -> !List.of("README.md", "template.md").contains(name))
                        .filter(name -> !index.contains("(" + name + ")"))
                        .forEach(missing::add);
            }
        }
        assertThat(missing)
                .as("pages that the README.md of their folder does not link to")
                .isEmpty();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ProjectTree.root());
                Stream<Path> docs = Files.walk(ProjectTree.root().resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static boolean resolves(Path page, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (parts.length == 1 || !Files.exists(target)) {
            return Files.exists(target);
        }
        return Files.readString(target).lines().anyMatch(line -> isHeading(line, parts[1]));
    }

    private static boolean isHeading(String line, String anchor) {
        String words = line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "");
        return line.startsWith("#") && words.replace(' ', '-').equals(anchor);
    }
}
