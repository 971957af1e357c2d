package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Words that make a reader of comments and manuals stop. They have a plain replacement, which the failure names. */
class PlainEnglishTest {
    private static final Pattern HABITS = Pattern.compile(
            "\\b(whoever|nobody|(?:is|are|was|were) told|tells|hears|heard of|vouch\\w*|wishes|lets? go(?: of)?|be let"
                    + "|makes? good|made good|that which|of which (?:none|nothing)|begun(?!-)|knows nothing)\\b",
            Pattern.CASE_INSENSITIVE);

    /** Names of options, planted bugs and operators in a page, and quoted output. */
    private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");

    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?<![:\"])//[^\\n]*");

    private static final String REMEDY =
            "words such as whoever, nobody, is told, tells, hears, vouches, wishes, lets go, begun: name the role and"
                    + " the action (\"the primary replies\", \"push\", \"report\", \"store\", \"drop\", \"started\")";

    @Test
    void commentsUseTheFieldsTerms() {
        List<String> found = new ArrayList<>();
        for (Path path : ProjectTree.sources()) {
            SourceFile file = SourceFile.read(path);
            String text = String.join("\n", file.lines());
            Matcher comment = COMMENT.matcher(text);
            while (comment.find()) {
                collect(file.name(), text, comment.start(), comment.group(), found);
            }
        }
        assertThat(found).as(REMEDY).isEmpty();
    }

    /** Decision records and the changelog keep the words of their time. */
    @Test
    void manualsUseTheFieldsTerms() throws IOException {
        List<String> found = new ArrayList<>();
        List<Path> pages = new ArrayList<>();
        try (Stream<Path> docs = Files.walk(ProjectTree.root().resolve("docs"))) {
            docs.filter(page -> page.toString().endsWith(".md")
                            && !ProjectTree.name(page).startsWith("docs/adr/"))
                    .sorted()
                    .forEach(pages::add);
        }
        for (String page : List.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")) {
            pages.add(ProjectTree.root().resolve(page));
        }
        for (Path page : pages) {
            String text = CODE.matcher(Files.readString(page)).replaceAll("``");
            collect(ProjectTree.name(page), text, 0, text, found);
        }
        assertThat(found).as(REMEDY).isEmpty();
    }

    private static void collect(String file, String text, int offset, String part, List<String> found) {
        Matcher habit = HABITS.matcher(part);
        while (habit.find()) {
            int at = offset + habit.start();
            long line = text.substring(0, at).chars().filter(c -> c == '\n').count() + 1;
            found.add(file + ":" + line + ": " + habit.group());
        }
    }
}
