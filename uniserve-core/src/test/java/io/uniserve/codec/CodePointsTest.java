package io.uniserve.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.plan.QueryText;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.TableName;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CodePointsTest {
    /** Characters that the two orders sort differently, and their neighbours. */
    private static final int[] LETTERS = {
        0, 1, ' ', 'a', 0x301, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfb01, 0xff5e, 0xfffd, 0xffff, 0x10000, 0x1d49c, 0x1f600,
        0x10ffff
    };

    static Stream<List<String>> pairs() {
        Random random = new Random(7);
        return IntStream.range(0, 500).mapToObj(i -> List.of(text(random), text(random)));
    }

    private static String text(Random random) {
        int[] letters = random.ints(random.nextInt(4), 0, LETTERS.length)
                .map(at -> LETTERS[at])
                .toArray();
        return new String(letters, 0, letters.length);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void theOrderIsThatOfTheBytes(List<String> pair) {
        int expected = Integer.signum(Arrays.compareUnsigned(
                Bytes.utf8(pair.get(0)).toArray(), Bytes.utf8(pair.get(1)).toArray()));
        assertThat(Integer.signum(CodePoints.ORDER.compare(pair.get(0), pair.get(1))))
                .isEqualTo(expected);
    }

    static Stream<String> lone() {
        return Stream.of(
                "\ud800", "z\ud801", "\udc00", "\ud83d\ud83d\ude00", "\ude00\ud83d", "x".repeat(200) + "\ud800");
    }

    @ParameterizedTest
    @MethodSource("lone")
    void aLoneSurrogateIsRefusedWhereverATextIsWritten(String text) {
        BinaryWriter out = new BinaryWriter();
        assertRefused(() -> out.writeString(text), ErrorCode.INVALID_ARGUMENT, "text has a lone surrogate, U+D");
        assertThat(out.size()).isZero();
        assertRefused(() -> PartitionKey.of(text), ErrorCode.INVALID_ROW, "partition key has a lone surrogate");
        assertRefused(
                () -> new Document("id", Map.of("id", text)).partitionKey(),
                ErrorCode.INVALID_ROW,
                "document's key field \"id\": partition key has a lone surrogate");
        assertRefused(
                () -> new QueryText(new TableName("words"), text),
                ErrorCode.INVALID_ARGUMENT,
                "query has a lone surrogate");
    }

    @ParameterizedTest
    @MethodSource("lone")
    void theFieldOfARowIsNamed(String text) {
        for (Object value : List.of(text, List.of("a", text), Map.of("a", text))) {
            assertRefused(
                    () -> Document.CODEC.encode(new Document("id", Map.of("id", "1", "body", value))),
                    ErrorCode.INVALID_ROW,
                    value instanceof Map ? "field \"a\": text has a lone surrogate" : "field \"body\": text has");
        }
        assertRefused(
                () -> Document.CODEC.encode(new Document("id", Map.of("id", "1", text, "value"))),
                ErrorCode.INVALID_ROW,
                "lone surrogate");
    }

    private static void assertRefused(Runnable what, ErrorCode code, String message) {
        assertThatThrownBy(what::run)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message)
                .hasMessageContaining("send whole code points");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\ufffd", "a\ufffdb", "\ud83d\ude00", "\ue000\uffff", "\u0000\u0001"})
    void otherTextsComeBack(String text) {
        BinaryWriter out = new BinaryWriter();
        out.writeString(text).writeString(text);
        BinaryReader in = new BinaryReader(out.toBytes());
        assertThat(in.readString()).isEqualTo(text);
        assertThat(in.readName()).isEqualTo(text);
    }

    /** Lone surrogate, missing byte, invalid first byte, overlong encoding. */
    @Test
    void bytesThatAreNoUtf8AreRefused() {
        for (byte[] bytes : new byte[][] {
            {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, {'a', (byte) 0xc3}, {(byte) 0xff}, {(byte) 0xc0, (byte) 0x80}
        }) {
            Bytes written = new BinaryWriter().writeBytes(Bytes.wrap(bytes)).toBytes();
            assertThatThrownBy(() -> new BinaryReader(written).readString())
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining("a text is not UTF-8");
            assertThatThrownBy(() -> new BinaryReader(written).readName())
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining("a text is not UTF-8");
        }
    }

    @Test
    void aMessageThatIsCutInAPairCanBeWritten() {
        String line = PrintableText.line("ab\ud83d\ude00", 3);
        assertThat(line).isEqualTo("ab\ufffd...");
        new BinaryWriter().writeString(line);
    }
}
