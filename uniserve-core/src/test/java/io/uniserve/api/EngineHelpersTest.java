package io.uniserve.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.extra.ActorFileLinker;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Helpers that ports share. */
class EngineHelpersTest {
    private static final EngineErrorMapper ENGINE = new EngineErrorMapper(
            "Engine",
            failure -> failure instanceof NumberFormatException
                    ? Optional.of(ErrorCode.INVALID_ARGUMENT)
                    : Optional.empty());

    @Test
    void failuresOfAnEngineHaveACode() {
        failing(() -> Integer.parseInt("x"), ErrorCode.INVALID_ARGUMENT, "Engine: For input string: \"x\"");
        failing(
                () -> {
                    throw new IllegalStateException(new NumberFormatException("bad\nnumber"));
                },
                ErrorCode.INVALID_ARGUMENT,
                "Engine: bad number");
        failing(
                () -> {
                    throw new IOException("disk");
                },
                ErrorCode.IO,
                "Engine cannot count: IOException: disk");
        failing(
                () -> {
                    throw new IllegalStateException("broken");
                },
                ErrorCode.PORT_FAILED,
                "Engine cannot count: IllegalStateException: broken");
        failing(
                () -> {
                    throw new IllegalStateException(new UniserveException(ErrorCode.CORRUPT, "told"));
                },
                ErrorCode.CORRUPT,
                "told");
        assertThat(ENGINE.call("count", () -> 7)).isEqualTo(7);
    }

    private static void failing(Callable<?> work, ErrorCode code, String reason) {
        assertThatThrownBy(() -> ENGINE.call("count", work)).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.reason()).isEqualTo(reason);
        });
    }

    @Test
    void aDigestDoesNotDependOnTheOrderButOnEveryRow() {
        assertThat(digest("a", "b", "c")).isEqualTo(digest("c", "a", "b"));
        assertThat(digest("a", "b")).isNotEqualTo(digest("a", "b", "b")).isNotEqualTo(digest("ab"));
        assertThat(digest()).hasSize(32).isNotEqualTo(digest(""));
    }

    private static byte[] digest(String... rows) {
        ContentDigest digest = new ContentDigest();
        for (String row : rows) {
            digest.add(row.getBytes(StandardCharsets.UTF_8));
        }
        return digest.toBytes();
    }

    @Test
    void perActorParametersTravelOnceWhereTheyAreTheSame() {
        Map<Integer, String> given = new LinkedHashMap<>(Map.of(0, "x", 1, "x", 2, "other", 7, "x"));
        PerActorParameters<String> parameters = PerActorParameters.of(given);
        Codec<PerActorParameters<String>> codec = PerActorParameters.codec(Codecs.STRING);
        PerActorParameters<String> read = codec.decode(codec.encode(parameters));
        assertThat(read).isEqualTo(parameters);
        given.forEach((actor, text) -> assertThat(read.forActor(actor)).isEqualTo(text));
        assertThat(PerActorParameters.of(Map.of(1, "long text", 2, "long text")).overrides())
                .isEmpty();
        assertThat(PerActorParameters.ofAll("x").forActor(5)).isEqualTo("x");
        assertThatThrownBy(() -> PerActorParameters.of(Map.of())).isInstanceOf(UniserveException.class);
    }

    @Test
    void mapsAreReadAsWrittenAndDamagedOnesRefused() {
        Codec<Map<Integer, String>> codec = Codecs.map(Codecs.INT, Codecs.STRING);
        Map<Integer, String> map = new LinkedHashMap<>();
        map.put(9, "nine");
        map.put(1, "");
        Bytes bytes = codec.encode(map);
        assertThat(codec.decode(bytes)).containsExactlyEntriesOf(map);
        byte[] huge = bytes.toArray();
        huge[0] = 0x7f;
        assertThatThrownBy(() -> codec.decode(Bytes.wrap(huge)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
    }

    @Test
    void namedFilesAreLinked(@TempDir Path from, @TempDir Path to) throws IOException {
        Files.writeString(from.resolve("a"), "one");
        Files.writeString(from.resolve("b"), "two");
        assertThat(ActorFileLinker.link(from, List.of("a"), to)).isEqualTo(to);
        assertThat(to.resolve("a")).hasContent("one");
        assertThat(to.resolve("b")).doesNotExist();
        assertThatThrownBy(() -> ActorFileLinker.link(from, List.of("none"), to))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void printableTextIsOneShortLine() {
        assertThat(PrintableText.line("a\u0000\r\nb")).isEqualTo("a b");
        assertThat(PrintableText.line("abcdef", 3)).isEqualTo("abc...");
        assertThat(PrintableText.line(null)).isEqualTo("null");
        assertThat(PrintableText.line("x".repeat(10_000))).hasSize(303);
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

    @Test
    void laterOptionsAreNotThoseThatActorsAreMadeWith() {
        TableMeta both = meta(Map.of("a", "1", MutableOptions.mutableName("a"), "2"));
        assertThat(MutableOptions.withoutMutableOptions(both).options()).containsOnlyKeys("a");
        assertThat(MutableOptions.withMutableOptions(
                        MutableOptions.withoutMutableOptions(both), MutableOptions.toRow(both)))
                .isEqualTo(both);
        assertThat(MutableOptions.fromBytes(MutableOptions.withoutMutableOptions(both), MutableOptions.toBytes(both)))
                .isEqualTo(both);
        assertThatThrownBy(() -> MutableOptions.fromBytes(
                        both, MutableOptions.toBytes(both).slice(0, 5)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
    }
}
