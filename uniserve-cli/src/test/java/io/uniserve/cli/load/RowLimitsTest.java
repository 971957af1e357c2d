package io.uniserve.cli.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows that are too large for a reader's memory. */
class RowLimitsTest {
    private static final long ROW_READ_MAX = Limits.ROW_TEXT_CHARS_MAX + (1L << 18);

    /** Generated file: a head, a repeated part, a tail. */
    private static final class Generated extends InputStream {
        private final byte[] head;
        private final byte[] part;
        private final byte[] tail;
        private final long partsEnd;
        private long position;

        Generated(String head, String part, long bytes, String tail) {
            this.head = head.getBytes(StandardCharsets.UTF_8);
            this.part = part.getBytes(StandardCharsets.UTF_8);
            this.tail = tail.getBytes(StandardCharsets.UTF_8);
            this.partsEnd = this.head.length + bytes / this.part.length * this.part.length;
        }

        @Override
        public int read() {
            long at = position++;
            if (at < head.length) {
                return head[(int) at];
            }
            if (at < partsEnd) {
                return part[(int) ((at - head.length) % part.length)];
            }
            return at - partsEnd < tail.length ? tail[(int) (at - partsEnd)] : -1;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) {
            int count = 0;
            if (part.length == 1 && position >= head.length && position < partsEnd) {
                count = (int) Math.min(length, partsEnd - position);
                Arrays.fill(buffer, offset, offset + count, part[0]);
                position += count;
                return count;
            }
            for (int c = count < length ? read() : -1; c >= 0; c = count < length ? read() : -1) {
                buffer[offset + count++] = (byte) c;
            }
            return count == 0 ? -1 : count;
        }
    }

    private static RowSource open(InputStream in, RowSourceFactory.Format format) {
        Optional<ColumnSchema> columns = format == RowSourceFactory.Format.TBL
                ? Optional.of(ColumnSchema.of(new TableMeta(
                        new TableName("t"),
                        1,
                        new Partitioner.Hash(1),
                        "id",
                        ConsistencyLevel.EVENTUAL,
                        1,
                        1,
                        OnLoss.WAIT,
                        "p",
                        Map.of(ColumnSchema.OPTION, "id bigint, name varchar"))))
                : Optional.empty();
        return RowSourceFactory.open(in, "file", format, "id", columns);
    }

    private static void refused(RowSource source, ErrorCode code, String... told) {
        assertThatThrownBy(source::next)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(told);
    }

    /** The second line is longer than a text can be. It is skipped, and the rows after it are read. */
    @Test
    void aLineIsPassedOverWithoutBeingKept() throws IOException {
        try (RowSource source = open(
                new Generated("{\"id\":\"1\"}\n{\"id\":\"", "x", 1L << 31, "\"}\n{\"id\":\"3\"}"),
                RowSourceFactory.Format.JSONL)) {
            assertThat(source.next()).isPresent();
            refused(source, ErrorCode.TOO_LARGE, "file line 2: ", "more than 8,388,608 characters", "smaller");
            assertThat(source.next()).map(row -> row.fields().get("id")).contains("3");
            assertThat(source.next()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RowSourceFactory.Format.class,
            names = {"JSONL", "TEXT", "TBL"})
    void theLastLineMayBeTooLongToo(RowSourceFactory.Format format) throws IOException {
        try (RowSource source = open(new Generated("", "y", Limits.ROW_TEXT_CHARS_MAX + 1, ""), format)) {
            refused(source, ErrorCode.TOO_LARGE, "file line 1: ", "8,388,608");
            assertThat(source.next()).isEmpty();
        }
    }

    @Test
    void aLineOfAsManyCharactersAsMayBe() throws IOException {
        try (RowSource source =
                open(new Generated("", "y", Limits.ROW_TEXT_CHARS_MAX, "\r\n"), RowSourceFactory.Format.TEXT)) {
            assertThat(source.next().orElseThrow().fields().get("text"))
                    .asString()
                    .hasSize(Limits.ROW_TEXT_CHARS_MAX);
        }
    }

    /** These formats have no row end at which reading could continue: the file ends there. Here ~ is a line feed. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "CSV  | id,a~1,                    | x                    | file line 2: the row has more than 8,388,608 characters: make the row smaller",
                "CSV  | id,a~1,                    | \"xxx\",           | file line 2: the row has more than 16,384 values: make the row smaller",
                "CSV  | id                         | ,x                   | file line 1: the row has more than 16,384 values: make the row smaller",
                "CSV  | id,a~1,\"                 | x                    | file line 2, column 2 (a): is not CSV: the quote that opens the value is never closed, or not within a row",
                "JSON | [{\"id\":\"1\",\"a\":\" | x                | file line 1: a row has more than 8,388,608 bytes: make it smaller",
                "JSON | [{\"id\":\"1\",\"a\":[0 | ,[1,2,3,4,5]      | file line 1: a row has more than 1,048,576 values: make it smaller",
                "JSON | [{\"id\":\"1\",\"a\":[0 | ,\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" | file line 1: a row has more than 8,388,608 bytes: make it smaller",
                "JSON | {\"delete\":[\"0\"     | ,\"1234567890123456\" | file line 1: a row has more than 8,388,608 bytes: make it smaller",
                "XML  | <add><doc><field name=\"a\"> | x                | file line 1: a row has more than 8,388,608 bytes: make it smaller",
                "XML  | <add><doc>                 | <field name=\"a\">xxxx</field> | file line 1: a row has more than 8,388,608 bytes: make it smaller",
                "XML  | <add><doc><field name=\"  | x                    | file line 1: a row has more than 8,388,608 bytes: make it smaller",
                "XML  | <add>                      | <!-- x -->           | file line 1: a row has more than 8,388,608 bytes: make it smaller",
            })
    void aRowIsNotReadToItsEnd(RowSourceFactory.Format format, String head, String part, String told)
            throws IOException {
        Generated file = new Generated(head.replace('~', '\n'), part, 1L << 40, "");
        assertThatThrownBy(() -> {
                    try (RowSource source = open(file, format)) {
                        Optional<Document> unused = source.next();
                    }
                })
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(told);
        assertThat(file.position).isLessThan(ROW_READ_MAX);
    }

    /** A file of many rows is longer than one row. Here ~ is a line feed, ^ a bar, and % many letters. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "CSV  | id,a     | ~1,%                                       | ``",
                "JSON | [{}      | ,{\"id\":\"1\",\"a\":[1,\"%\"]}    | ]",
                "XML  | <add>    | <doc><field name=\"id\">%</field></doc>  | </add>",
                "TBL  | 0^       | ~1^%                                       | ``",
            })
    void manyRows(RowSourceFactory.Format format, String head, String part, String tail) throws IOException {
        Generated file = new Generated(
                head.replace('^', '|').replace('~', '\n'),
                part.replace('^', '|').replace('~', '\n').replace("%", "x".repeat(200)),
                Limits.ROW_TEXT_CHARS_MAX * 2L,
                tail);
        try (RowSource source = open(file, format)) {
            long rows = 0;
            while (source.next().isPresent()) {
                rows++;
            }
            assertThat(rows).isGreaterThan(50_000);
        }
    }

    @Test
    void aLineOfManyValues() throws IOException {
        try (RowSource source = open(
                new Generated("{\"id\":\"1\",\"a\":[0", ",[1]", Limits.ROW_TEXT_CHARS_MAX - 100, "]}\n{\"id\":\"2\"}"),
                RowSourceFactory.Format.JSONL)) {
            refused(source, ErrorCode.TOO_LARGE, "file line 1: a row has more than 1,048,576 values");
            assertThat(source.next()).isPresent();
        }
        try (RowSource source =
                open(new Generated("1", "|", Limits.ROW_TEXT_CHARS_MAX - 100, "\n"), RowSourceFactory.Format.TBL)) {
            refused(source, ErrorCode.INVALID_ROW, "file line 1, column 3: ", "values for 2 columns");
        }
    }

    @Test
    void aTextOfManyValues() {
        FieldSplitter split = FieldSplitter.of(Map.of("a", ","), "id");
        Document row = new Document("id", Map.of("id", "1", "a", "1,".repeat(Limits.ROW_TEXT_VALUES_MAX + 1)));
        assertThatThrownBy(() -> split.split(row))
                .hasMessageContaining("field \"a\" has more than 1,048,576 values: split it into several rows");
    }
}
