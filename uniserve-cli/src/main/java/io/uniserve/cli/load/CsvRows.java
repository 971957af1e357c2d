package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/** Comma-separated values, RFC 4180, with a header line. Values that read as whole or decimal numbers become numbers, except the key. */
final class CsvRows implements RowSource {
    private final String file;
    private final String keyField;
    private final CountingInputStream counted;
    private final CSVParser parser;
    private final Iterator<CSVRecord> records;
    private final List<String> header;

    CsvRows(String file, String keyField, InputStream in, CountingInputStream counted) throws IOException {
        this.file = file;
        this.keyField = keyField;
        this.counted = counted;
        this.parser = CSVFormat.RFC4180
                .builder()
                .setHeader()
                .setSkipHeaderRecord(true)
                .setIgnoreEmptyLines(true)
                .get()
                .parse(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.records = parser.iterator();
        this.header = parser.getHeaderNames();
        if (!header.contains(keyField)) {
            throw UniserveException.invalid(
                    file + " has no column \"" + keyField + "\", the table's key field; its columns are " + header);
        }
    }

    @Override
    public Optional<Document> next() {
        try {
            return records.hasNext() ? Optional.of(row(records.next())) : Optional.empty();
        } catch (UncheckedIOException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, file + " line " + line() + " is not CSV: " + e.getMessage(), e);
        }
    }

    private Document row(CSVRecord record) {
        if (record.size() != header.size()) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    file + " line " + line() + ": " + record.size() + " values for " + header.size() + " columns");
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < header.size(); i++) {
            String text = record.get(i);
            if (!text.isEmpty()) {
                fields.put(header.get(i), header.get(i).equals(keyField) ? text : value(text));
            }
        }
        return new Document(keyField, fields);
    }

    private static Object value(String text) {
        if (text.matches("-?[0-9]{1,18}")) {
            return Long.valueOf(text);
        }
        return text.matches("-?[0-9]+\\.[0-9]+([eE][-+]?[0-9]+)?") ? (Object) Double.valueOf(text) : text;
    }

    @Override
    public long line() {
        return parser.getCurrentLineNumber();
    }

    @Override
    public long bytesRead() {
        return counted.count();
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
