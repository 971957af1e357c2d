package io.uniserve.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Option;

class TableCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    private TableMeta meta(String name) {
        return cluster.table(new TableName(name)).meta();
    }

    @Test
    void createWithDefaults() {
        Run run = uniserve.run("table", "create", "words", "--engine", "kv");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.out().strip())
                .isEqualTo("created table words: engine kv, hash over 8, 2 copies of each, eventual");
        assertThat(meta("words"))
                .isEqualTo(new TableMeta(
                        new TableName("words"),
                        0,
                        new Partitioner.Hash(8),
                        "id",
                        ConsistencyLevel.EVENTUAL,
                        2,
                        1,
                        OnLoss.WAIT,
                        "kv",
                        Map.of()));
    }

    @Test
    void theDeprecatedNameOfEngineWorksWithAWarning() {
        Run run = uniserve.run("table", "create", "words", "--port", "kv");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.err()).contains("warning: --port is deprecated here: use --engine");
        assertThat(meta("words").port()).isEqualTo("kv");
        Run both = uniserve.run("table", "create", "more", "--engine", "kv", "--port", "kv");
        assertThat(both.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(both.err()).contains("--port is the deprecated name of --engine: use --engine alone");
        Run neither = uniserve.run("table", "create", "more");
        assertThat(neither.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(neither.err()).contains("'--engine=ENGINE'");
        assertThat(uniserve.run("table", "create", "--help").out())
                .contains("--engine")
                .doesNotContain("--port");
    }

    @Test
    void createWithEverything() {
        Run run = uniserve.run(
                ("table create events --engine kv --range-bounds -5,0,7 --rf 1 --min-isr 1 --level fully-serializable"
                                + " --on-loss restore-actor --durability remote --key time -O a=1 -O b=x=y")
                        .split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        TableMeta meta = meta("events");
        assertThat(meta.partitioner()).isEqualTo(new Partitioner.Range(List.of(-5L, 0L, 7L)));
        assertThat(meta.keyField()).isEqualTo("time");
        assertThat(meta.rf()).isEqualTo(1);
        assertThat(meta.level()).isEqualTo(ConsistencyLevel.FULLY_SERIALIZABLE);
        assertThat(meta.onLoss()).isEqualTo(OnLoss.RESTORE_ACTOR);
        assertThat(meta.needsDurableStorage()).isTrue();
        assertThat(meta.options()).isEqualTo(Map.of("a", "1", "b", "x=y"));
    }

    @Test
    void aLaterConfigsetHasWhatDiffersFromTheFirst(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("schema.xml"), "<schema/>");
        Files.writeString(directory.resolve("words.txt"), "the");
        String folder = directory.toString();
        uniserve.run("table", "create", "shop", "--engine", "solr", "--configset", folder);
        Files.writeString(directory.resolve("schema.xml"), "<schema>more</schema>");
        Run run = uniserve.run("table", "update", "shop", "--configset", folder);
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        Path unpacked = Files.createDirectories(directory.resolve("unpacked"));
        PackedFilesCodec.unpack(meta("shop").options().getOrDefault("configset.later", ""), unpacked);
        assertThat(unpacked.resolve("schema.xml")).hasContent("<schema>more</schema>");
        assertThat(unpacked.resolve("words.txt")).doesNotExist();
        assertThat(cluster.changes()).endsWith("update shop");
        assertThat(uniserve.run("table", "update", "shop").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(uniserve.run("table", "update", "nothing", "--configset", folder)
                        .exit())
                .isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void optionsOfAnyPortAreChangedUnderTheirLaterName() {
        uniserve.run("table", "create", "shop", "--engine", "kv", "-O", "a=1", "-O", "b=1");
        Run run = uniserve.run("table", "update", "shop", "-O", "a=2", "-O", "c=x=y");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(meta("shop").options()).isEqualTo(Map.of("a", "1", "b", "1", "a.later", "2", "c.later", "x=y"));
        for (String[] wrong : new String[][] {
            {}, {"-O", "a.later=2"}, {"-O", "a"}, {"-O", "configset=x", "--configset", "."}, {"--rf", "3"}
        }) {
            String[] words = Stream.concat(Stream.of("table", "update", "shop"), Stream.of(wrong))
                    .toArray(String[]::new);
            assertThat(uniserve.run(words).exit()).isEqualTo(ExitCode.USAGE);
        }
    }

    /** The page has a row per option of the command itself, and no others. */
    @Test
    void theManualHasTheOptionsOfUpdate() throws IOException {
        Set<String> own = Stream.of(TableUpdateCommand.class.getDeclaredFields())
                .flatMap(field -> Stream.ofNullable(field.getAnnotation(Option.class)))
                .flatMap(option -> Stream.of(option.names()))
                .collect(Collectors.toSet());
        String page = Files.readString(Path.of("../docs/manual/command-line.md"));
        String table = page.substring(page.indexOf("| `table update` | changes |"));
        Set<String> told = table.lines()
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("`")[1])
                .collect(Collectors.toSet());
        assertThat(told).isEqualTo(own).hasSize(2);
    }

    @Test
    void aConfigsetIsPackedWithoutTheConfigurationOfCores(@TempDir Path directory) throws IOException {
        Path conf = Files.createDirectories(directory.resolve("conf"));
        Files.writeString(conf.resolve("schema.xml"), "<schema/>");
        Files.writeString(conf.resolve("solrconfig.xml"), "<config/>");
        String[] create = {"table", "create", "shop", "--engine", "solr", "--configset", directory.toString()};
        assertThat(uniserve.run(create).exit()).isEqualTo(ExitCode.OK);
        Path unpacked = Files.createDirectories(directory.resolve("unpacked"));
        PackedFilesCodec.unpack(meta("shop").options().getOrDefault("configset", ""), unpacked);
        assertThat(unpacked.resolve("schema.xml")).hasContent("<schema/>");
        assertThat(unpacked.resolve("solrconfig.xml")).doesNotExist();
    }

    @Test
    void configsetsThatCannotBe(@TempDir Path directory) throws IOException {
        Run missing = uniserve.run("table", "create", "shop", "--engine", "solr", "--configset", "/no/such/folder");
        assertThat(missing.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(missing.err()).contains("/no/such/folder cannot be read");
        Run empty = uniserve.run("table", "create", "shop", "--engine", "solr", "--configset", directory.toString());
        assertThat(empty.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(empty.err()).contains("has none of [schema.xml");
        Files.writeString(directory.resolve("schema.xml"), "<schema/>");
        byte[] noise = new byte[100_000];
        new Random(1).nextBytes(noise);
        Files.write(directory.resolve("stopwords.txt"), noise);
        Run large = uniserve.run("table", "create", "shop", "--engine", "solr", "--configset", directory.toString());
        assertThat(large.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(large.err()).contains("bytes when packed, at most 131072");
        Run both = uniserve.run(
                "table",
                "create",
                "shop",
                "--engine",
                "solr",
                "--configset",
                "/no/such/folder",
                "-O",
                "configset=default");
        assertThat(both.exit()).isNotEqualTo(ExitCode.OK);
        assertThat(cluster.changes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1000000000", "-2147483648"})
    void wrongNumbersOfActorsAreRefused(String actors) {
        Run run = uniserve.run("table", "create", "words", "--engine", "kv", "--actors", actors);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err().strip()).isEqualTo("uniserve: INVALID_ARGUMENT: actors is " + actors + ": use 1 to 4096");
        assertThat(cluster.changes()).isEmpty();
    }

    @Test
    void boundsThatDoNotAscendAreRefused() {
        Run run = uniserve.run("table", "create", "words", "--engine", "kv", "--range-bounds", "3,3");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("bounds must ascend");
    }

    static List<String> badNames() {
        return List.of("", "x".repeat(65), "x".repeat(100_000), "../x", "a\0b", "/", "a/b", "1a", "a b", "täg", "-");
    }

    @ParameterizedTest
    @MethodSource("badNames")
    void badNamesAreRefusedByEveryCommandBeforeTheClusterIsAsked(String name) {
        TestingConsole nobody = TestingConsole.alone();
        List<String[]> commands = List.of(
                new String[] {"table", "create", "--engine", "kv", "--", name},
                new String[] {"table", "describe", "--", name},
                new String[] {"table", "drop", "--", name},
                new String[] {"query", "--", name, "count"},
                new String[] {"load", "--format", "csv", "--", name, "-"});
        for (String[] command : commands) {
            Run run = nobody.run(command);
            assertThat(run.exit()).as(String.join(" ", command)).isEqualTo(ExitCode.REFUSED);
            assertThat(run.err())
                    .startsWith("uniserve: INVALID_ARGUMENT: table name ")
                    .doesNotContain("\0");
            assertThat(run.err().length()).isLessThan(300);
        }
    }

    @Test
    void listAsTextAndJson() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--rf", "1");
        uniserve.run("table", "create", "events", "--engine", "kv", "--range-bounds", "5");
        assertThat(uniserve.run("table", "list").lines())
                .containsExactly(
                        "TABLE   PORT  PARTITIONS   KEY  LEVEL     RF  MIN-ISR",
                        "events  kv    range of 2   id   eventual   2        1",
                        "words   kv    hash over 8  id   eventual   1        1");
        assertThat(uniserve.run("table", "list", "-o", "json").out())
                .startsWith("[{\"name\":\"events\"")
                .contains("\"rangeBounds\":[5]", "\"name\":\"words\"", "\"minIsr\":1");
    }

    @Test
    void describeAsTextAndJson() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "2");
        assertThat(uniserve.run("table", "describe", "words").lines())
                .contains(
                        "name         words",
                        "    0      1       2  server-1  server-1,server-2  -         -       degraded: unknown: server"
                                + " server-2 does not answer the coordinator");
        assertThat(uniserve.run("table", "describe", "words", "-o", "json").out())
                .contains(
                        "\"placement\":[{\"actor\":0,\"epoch\":1,\"copies\":2,\"primary\":\"server-1\",\"isr\":[\"server-1\",\"server-2\"]");
    }

    @Test
    void anUnknownTableIsNotFoundAndNothingChanges() {
        for (String command : List.of("table describe nothing", "table drop nothing", "query nothing count")) {
            Run run = uniserve.run(command.split(" "));
            assertThat(run.exit()).as(command).isEqualTo(ExitCode.REFUSED);
            assertThat(run.err()).startsWith("uniserve: TABLE_NOT_FOUND: table nothing");
        }
        assertThat(cluster.tables()).isEmpty();
    }

    @Test
    void dropSeveral() {
        uniserve.run("table", "create", "a", "--engine", "kv");
        uniserve.run("table", "create", "b", "--engine", "kv");
        assertThat(uniserve.run("table", "drop", "a", "b").lines())
                .containsExactly("dropped table a", "dropped table b");
        assertThat(cluster.tables()).isEmpty();
    }
}
