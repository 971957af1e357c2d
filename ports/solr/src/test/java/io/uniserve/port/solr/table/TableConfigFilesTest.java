package io.uniserve.port.solr.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.MutableOptions;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
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
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configuration of lines {@code name=meaning}, with names that may be patterns. */
class TableConfigFilesTest {
    private final TableConfigFiles<Map<String, String>> files =
            new TableConfigFiles<>("conf", "fields", List.of("fields.txt"), "own.txt", new Lines());

    @TempDir
    private Path directory;

    private static final class Lines implements TableConfigFiles.Format<Map<String, String>> {
        @Override
        public void check(Path folder) {
            // any file is permitted
        }

        @Override
        public Map<String, String> read(Path folder) throws IOException {
            Map<String, String> read = new TreeMap<>();
            for (String line : Files.readAllLines(folder.resolve("fields"))) {
                String[] both = line.split("=", -1);
                read.put(both[0], both[1]);
            }
            return read;
        }

        @Override
        public Map<String, Map<String, String>> definitions(Map<String, String> config) {
            return Map.of("field", config);
        }

        @Override
        public @Nullable String describeDefinition(Map<String, String> config, String name) {
            return config.getOrDefault(
                    name,
                    config.entrySet().stream()
                            .filter(one -> one.getKey().contains("*")
                                    && name.matches(one.getKey().replace("*", ".*")))
                            .min((a, b) -> b.getKey().length() - a.getKey().length())
                            .map(Map.Entry::getValue)
                            .orElse(null));
        }
    }

    private String pack(Map<String, String> contents, String before) throws IOException {
        Path folder = Files.createTempDirectory(directory, "f");
        for (Map.Entry<String, String> file : contents.entrySet()) {
            Files.writeString(folder.resolve(file.getKey()), file.getValue());
        }
        return PackedFilesCodec.pack(folder, any -> true, before);
    }

    private static TableMeta meta(Map<String, String> options) {
        return new TableMeta(
                new TableName("t"),
                1,
                new Partitioner.Hash(1),
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "p",
                options);
    }

    private static final String FIRST = "a=int\n*_s=text\nlong_*=int\n";

    private TableMeta change(String fields, Map<String, String> more) throws IOException {
        String first = pack(Map.of("fields.txt", FIRST, "words", "w"), "");
        Map<String, String> contents = new TreeMap<>(Map.of("fields", fields, "words", "w"));
        contents.putAll(more);
        TableMeta before = meta(Map.of("conf", first));
        TableMeta now = meta(Map.of("conf", first, MutableOptions.mutableName("conf"), pack(contents, first)));
        files.validateChange(before, now);
        return now;
    }

    private void refused(String fields, Map<String, String> more, String named) {
        assertThatThrownBy(() -> change(fields, more))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(named);
    }

    @Test
    void additionsAreTakenAndLieOverWhatWasThere() throws IOException {
        TableMeta now = change(FIRST + "b=int\nc_s=text\n", Map.of("more", "m"));
        Path conf =
                directory.resolve(files.createFolder(now.options(), directory)).resolve("conf");
        assertThat(Files.readString(conf.resolve("fields"))).contains("b=int");
        assertThat(conf.resolve("words")).hasContent("w");
        assertThat(conf.resolve("more")).hasContent("m");
        assertThat(files.createFolder(now.options(), directory))
                .isEqualTo(files.createFolder(now.options(), directory));
        files.validateChange(now, now);
    }

    @Test
    void whatIsRemovedChangedOrTakenFromAPatternIsRefusedByName() {
        refused("*_s=text\nlong_*=int\n", Map.of(), "field \"a\" is removed");
        refused(FIRST.replace("a=int", "a=text"), Map.of(), "field \"a\" is changed from int to text");
        refused(FIRST, Map.of("words", "v"), "file \"words\" is changed");
        refused(FIRST + "b_s=int\n", Map.of(), "field \"b_s\" is new, but was text");
        refused(FIRST + "*_long_s=int\n", Map.of(), "field \"*_long_s\" is new, but was text");
        refused(FIRST + "longer_*=int\n", Map.of(), "field \"longer_*\" is new, but was text");
        refused("no line", Map.of(), "conf");
    }

    @Test
    void otherOptionsStay() throws IOException {
        String first = pack(Map.of("fields", FIRST), "");
        TableMeta before = meta(Map.of("conf", first));
        for (Map<String, String> options : List.of(Map.<String, String>of(), Map.of("conf", first, "x", "y"))) {
            assertThatThrownBy(() -> files.validateChange(before, meta(options)))
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining("only conf.later");
        }
        assertThatThrownBy(() -> files.validate(meta(Map.of("conf", first, MutableOptions.mutableName("conf"), first))))
                .hasMessageContaining("alone");
        assertThat(files.validate(before)).containsEntry("a", "int");
    }
}
