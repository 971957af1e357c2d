package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * Values separated by commas (RFC 4180) or tabs, with a header line. Values have the types of the table's columns. For a table without columns, texts in
 * the form of whole or decimal numbers become numbers, except for the key: 01234 and 1.10 stay texts.
 */
final class CsvRowSource implements RowSource {
    private final String file;
    private final String keyField;
    private final char separator;
    private final Optional<ColumnSchema> columns;
    private final CountingInputStream counted;
    private final CsvQuoteTracker quotes;
    private final CSVParser parser;
    private final Iterator<CSVRecord> records;
    private final List<String> header;

    CsvRowSource(
            String file,
            String keyField,
            Optional<ColumnSchema> columns,
            char separator,
            InputStream in,
            CountingInputStream counted)
            throws IOException {
        this.separator = separator;
        this.file = file;
        this.keyField = keyField;
        this.columns = columns;
        this.counted = counted;
        this.quotes = new CsvQuoteTracker(new InputStreamReader(in, FileTextDecoder.BYTES), separator);
        this.parser = parser();
        this.records = parser.iterator();
        this.header = header();
        if (header.stream().anyMatch(String::isBlank)) {
            throw UniserveException.invalid(file + " line 1: column "
                    + (1 + header.stream().map(String::isBlank).toList().indexOf(true))
                    + " has no name: give it one, or remove the column");
        }
        if (new HashSet<>(header).size() < header.size()) {
            throw UniserveException.invalid(file + " line 1 names a column twice: " + header + "; name each once");
        }
        if (!header.contains(keyField)) {
            throw UniserveException.invalid(
                    file + " has no column \"" + keyField + "\", the table's key field; its columns are " + header);
        }
    }

    private CSVParser parser() throws IOException {
        try {
            return CSVFormat.RFC4180
                    .builder()
                    .setDelimiter(separator)
                    .setHeader()
                    .setSkipHeaderRecord(true)
                    .setIgnoreEmptyLines(true)
                    .setAllowMissingColumnNames(true)
                    .get()
                    .parse(quotes);
        } catch (CSVException | CsvQuoteTracker.TooLong e) {
            throw malformedError(e, List.of(), 1);
        }
    }

    /** Returns the error with the place of the quote that makes the file invalid. */
    private UniserveException malformedError(Exception error, List<String> names, long line) {
        Throwable cause = error instanceof UncheckedIOException ? error.getCause() : error;
        if (cause instanceof CsvQuoteTracker.TooLong tooLong && !tooLong.isOpen()) {
            return new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    file + " line " + quotes.line() + ": " + tooLong.getMessage()
                            + ": make the row smaller, or end each row with a line feed",
                    error);
        }
        String told = quotes.malformedOrOpen()
                .map(place -> file + " line " + place.line() + ", column " + place.column()
                        + (place.column() <= names.size() ? " (" + names.get(place.column() - 1) + ")" : "")
                        + ": is not CSV: "
                        + (place.closed()
                                ? "text follows the quote that ends the value; write a quote within a value twice"
                                : "the quote that opens the value is never closed, or not within a row's length"))
                .orElse(file + " line " + line + " is not CSV: " + error.getMessage());
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, told, error);
    }

    /** Returns the names of the first line. */
    private List<String> header() {
        List<String> names = new ArrayList<>();
        for (String name : parser.getHeaderNames()) {
            names.add(FileTextDecoder.utf8(name)
                    .orElseThrow(() -> UniserveException.invalid(
                            file + " line 1, column " + (names.size() + 1) + ": is not UTF-8")));
        }
        columns.ifPresent(known -> {
            for (String name : names) {
                if (!known.names().contains(name)) {
                    throw UniserveException.invalid(file + " line 1, column " + (names.indexOf(name) + 1) + ": \""
                            + name + "\" is no column of the table; its columns are " + known.names());
                }
            }
            known.primaryKey().stream().filter(name -> !names.contains(name)).forEach(name -> {
                throw UniserveException.invalid(
                        file + " line 1: column \"" + name + "\" is missing; it is part of the primary key");
            });
        });
        return List.copyOf(names);
    }

    @Override
    public Optional<Document> next() {
        try {
            return records.hasNext() ? Optional.of(row(records.next())) : Optional.empty();
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof CSVException || e.getCause() instanceof CsvQuoteTracker.TooLong) {
                throw malformedError(e, header, line());
            }
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, file + " line " + (line() + 1) + " cannot be read: " + e.getCause(), e);
        }
    }

    private Document row(CSVRecord record) {
        if (record.size() != header.size()) {
            throw FileTextDecoder.wrongLength(location(), header, record.size());
        }
        List<String> texts = FileTextDecoder.values(location(), header, record.toList());
        return columns.map(known -> FileTextDecoder.typedRow(location(), known, keyField, header, texts))
                .orElseGet(() -> untyped(texts));
    }

    private String location() {
        return file + " line " + line();
    }

    private Document untyped(List<String> texts) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < header.size(); i++) {
            String text = texts.get(i);
            if (!text.isEmpty()) {
                fields.put(header.get(i), header.get(i).equals(keyField) ? text : value(text));
            }
        }
        return new Document(keyField, fields);
    }

    static Object value(String text) {
        Object number = text;
        if (text.matches("-?[0-9]{1,18}")) {
            number = Long.valueOf(text);
        } else if (text.matches("-?[0-9]{1,18}\\.[0-9]{1,18}(E[-+]?[0-9]{1,3})?")) {
            number = Double.valueOf(text);
        }
        return number.toString().equals(text) ? number : text; // zip codes and versions must not be rewritten
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
