package io.uniserve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.command.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Checks that examples in help texts and in the manual are valid command lines. */
class HelpExamplesTest {
    /** A word: quoted, or without blanks. */
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    /** Start of text that is for the shell. */
    private static final Pattern SHELL = Pattern.compile("\\s(\\||>|&|#).*|\\s{3,}.*");

    private static CommandLine uniserve() {
        return Main.runner(new Console(System.in, System.out, System.err, false), bootstrap -> {
                    throw new AssertionError("asked the cluster at " + bootstrap);
                })
                .commandLine();
    }

    static List<String> helpExamples() {
        List<String> examples = new ArrayList<>();
        collect(uniserve(), examples);
        return examples;
    }

    private static void collect(CommandLine command, List<String> examples) {
        Stream.of(command.getCommandSpec().usageMessage().footer())
                .filter(line -> line.strip().startsWith("uniserve "))
                .forEach(line -> examples.add(line.strip()));
        command.getSubcommands().values().forEach(sub -> collect(sub, examples));
    }

    static List<String> manualExamples() throws IOException {
        Path root = Path.of(System.getProperty("uniserve.root", ".."));
        List<Path> pages = new ArrayList<>(List.of(root.resolve("README.md")));
        try (Stream<Path> manual = Files.list(root.resolve("docs/manual"))) {
            manual.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        List<String> examples = new ArrayList<>();
        for (Path page : pages) {
            Stream.of(Files.readString(page).replace("\\\n", " ").split("\n"))
                    .filter(line -> line.startsWith("    "))
                    .map(line -> line.strip().replaceFirst("^\\./", "").replaceFirst("^\\S+ [^|]*\\| (?=uniserve)", ""))
                    .filter(line -> line.startsWith("uniserve "))
                    .forEach(examples::add);
        }
        return examples;
    }

    @ParameterizedTest
    @MethodSource({"helpExamples", "manualExamples"})
    void theExampleIsTaken(String example) {
        String words =
                SHELL.matcher(example.substring("uniserve ".length()) + " ").replaceFirst("");
        CommandLine.ParseResult parsed = uniserve().parseArgs(words(words));
        assertThat(parsed.hasSubcommand()).isTrue();
    }

    @Test
    void thereAreManyExamples() throws IOException {
        assertThat(helpExamples()).hasSizeGreaterThan(25);
        assertThat(manualExamples()).hasSizeGreaterThan(20);
    }

    private static String[] words(String line) {
        return WORD.matcher(line).results().map(HelpExamplesTest::unquoted).toArray(String[]::new);
    }

    private static String unquoted(MatchResult word) {
        return word.group(1) != null ? word.group(1) : word.group(2) != null ? word.group(2) : word.group(3);
    }
}
