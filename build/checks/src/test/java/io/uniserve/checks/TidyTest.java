package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Style that a formatter does not enforce: small files, short methods, no forbidden calls. */
class TidyTest {
    private static final int FILE_LINES_MAX = 600;
    private static final int METHOD_LINES_MAX = 70;

    private static final List<SourceFile> SOURCES =
            ProjectTree.sources().stream().map(SourceFile::read).toList();

    /** Pattern that must not occur in code, the files that are exempt, and its replacement. */
    private record Forbidden(Pattern code, Pattern allowedIn, String instead) {
        static Forbidden of(String code, String allowedIn, String instead) {
            return new Forbidden(Pattern.compile(code), Pattern.compile(allowedIn), instead);
        }
    }

    private static final String NOWHERE = "(?!)";
    private static final String CLOCK = "uniserve-runtime/src/main/java/io/uniserve/runtime/(.*/)?time/.*";
    private static final String RANDOM = "uniserve-runtime/src/main/java/io/uniserve/runtime/(.*/)?(time|ids)/.*";
    private static final String CLI =
            "(uniserve-cli(-api)?|benchmarks/(harness|solrcloud|peer-api|spark|druid|ycsb))/src/.*";

    private static final List<Forbidden> FORBIDDEN = List.of(
            Forbidden.of("\\bSystem\\s*\\.\\s*(nanoTime|currentTimeMillis)\\b", CLOCK, "a clock as an argument"),
            Forbidden.of(
                    "\\b(Instant|LocalDate|LocalDateTime|ZonedDateTime|OffsetDateTime)\\s*\\.\\s*now\\b",
                    CLOCK,
                    "a clock as an argument"),
            Forbidden.of("\\bClock\\s*\\.\\s*system", CLOCK, "a clock as an argument"),
            Forbidden.of(
                    "\\bThread\\s*\\.\\s*sleep\\b|\\bTimeUnit\\.\\w+\\.sleep\\b",
                    NOWHERE,
                    "io.uniserve.protocol.env.Timers, or Awaitility in tests"),
            Forbidden.of("\\bnew\\s+Random\\s*\\(\\s*\\)", NOWHERE, "a seed, or io.uniserve.protocol.env.Ids"),
            Forbidden.of(
                    "\\bMath\\s*\\.\\s*random\\b|\\bThreadLocalRandom\\b|\\bSecureRandom\\b|\\bUUID\\s*\\.\\s*randomUUID\\b",
                    RANDOM,
                    "a seed, or io.uniserve.protocol.env.Ids"),
            Forbidden.of(
                    "\\bObject(In|Out)putStream\\b|\\bjava\\.io\\.Serializable\\b|\\bExternalizable\\b",
                    NOWHERE,
                    "io.uniserve.codec.Codec"),
            Forbidden.of("\\bSystem\\s*\\.\\s*(out|err)\\b", CLI, "an slf4j logger"),
            Forbidden.of("\\bprintStackTrace\\s*\\(", NOWHERE, "an slf4j logger, with the exception as last argument"),
            Forbidden.of("\\bSystem\\s*\\.\\s*exit\\b", CLI, "an exception that the command turns into an exit status"),
            Forbidden.of("@Disabled\\b", NOWHERE, "an assumption that states its reason, listed in docs/testing.md"),
            Forbidden.of("\\bMockito\\b", NOWHERE, "a hand-written in-memory twin beside the interface"));

    @Test
    void filesAreSmall() {
        List<String> large = SOURCES.stream()
                .filter(f -> f.lines().size() > FILE_LINES_MAX)
                .map(f -> f.name() + " has " + f.lines().size() + " lines")
                .toList();
        assertThat(large)
                .as("files of more than %d lines; split them", FILE_LINES_MAX)
                .isEmpty();
    }

    /** A port's size is information for its users, not a limit: no code leaves a port to make it look smaller. */
    @Test
    void theReadmeStatesThePortsSizes() {
        Map<String, Integer> lines = new TreeMap<>();
        SOURCES.stream()
                .filter(f -> f.name().matches("ports/[^/]+/src/main/java/.*"))
                .forEach(f -> lines.merge(f.name().split("/")[1], codeLines(f), Integer::sum));
        assertThat(lines)
                .as("ports with main code")
                .containsKeys("kv", "lucene", "solr", "duckdb", "monetdb", "druid", "mongodb");
        String readme = String.join(
                " ", SourceFile.read(ProjectTree.root().resolve("README.md")).lines());
        assertThat(lines)
                .allSatisfy((port, size) -> assertThat(readme)
                        .as("lines of code of port %s, without comments and blank lines", port)
                        .contains(String.format(Locale.ROOT, "%s %,d", port, size)));
    }

    private static int codeLines(SourceFile file) {
        return (int) file.code().stream().filter(line -> !line.isBlank()).count();
    }

    @Test
    void simpleNamesAreUnique() {
        Map<String, List<String>> files = new TreeMap<>();
        SOURCES.stream()
                .map(SourceFile::name)
                .filter(name -> !name.matches("(.*/)?(package|module)-info\\.java|examples/.*"))
                .forEach(name -> files.computeIfAbsent(
                                name.substring(name.lastIndexOf('/') + 1), file -> new ArrayList<>())
                        .add(name));
        assertThat(files.values().stream().filter(names -> names.size() > 1))
                .as("classes of one simple name; a reader takes one for the other")
                .isEmpty();
    }

    @Test
    void methodsAreShort() {
        List<String> longOnes = SourceFile.methods(SOURCES).stream()
                .filter(m -> m.lines() > METHOD_LINES_MAX)
                .map(m -> m.name() + " has " + m.lines() + " lines")
                .toList();
        assertThat(longOnes)
                .as("methods of more than %d lines; push loops down into methods of their own", METHOD_LINES_MAX)
                .isEmpty();
    }

    @Test
    void nothingForbiddenIsCalled() {
        List<String> found = new ArrayList<>();
        for (SourceFile file : SOURCES) {
            for (Forbidden rule : FORBIDDEN) {
                if (!rule.allowedIn().matcher(file.name()).matches()) {
                    findIn(file, rule, found);
                }
            }
        }
        assertThat(found).as("forbidden calls").isEmpty();
    }

    private static void findIn(SourceFile file, Forbidden rule, List<String> found) {
        for (int i = 0; i < file.code().size(); i++) {
            if (rule.code().matcher(file.code().get(i)).find()) {
                found.add(
                        file.name() + ":" + (i + 1) + ": " + file.lines().get(i).strip() + " -- use " + rule.instead());
            }
        }
    }

    @Test
    void nothingIsLeftForLater() {
        Pattern note = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
        List<String> found = SOURCES.stream()
                .flatMap(f -> f.lines().stream()
                        .filter(line -> note.matcher(line).find())
                        .map(line -> f.name() + ": " + line.strip()))
                .toList();
        assertThat(found).as("notes for later; do it, or open an issue").isEmpty();
    }

    @Test
    void everyPackageIsDescribedAndNullMarked() {
        TreeSet<Path> packages = new TreeSet<>();
        SOURCES.stream()
                .filter(f -> f.name().contains("src/main/java/"))
                .forEach(f -> packages.add(f.path().resolveSibling("package-info.java")));
        List<String> missing = packages.stream()
                .filter(info -> !Files.exists(info)
                        || !SourceFile.read(info).lines().contains("@NullMarked")
                        || !SourceFile.read(info).lines().get(0).startsWith("/**"))
                .map(ProjectTree::name)
                .toList();
        assertThat(missing)
                .as("package-info.java with a paragraph and @NullMarked")
                .isEmpty();
    }
}
