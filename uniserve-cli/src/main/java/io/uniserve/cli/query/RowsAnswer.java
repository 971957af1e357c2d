package io.uniserve.cli.query;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.TextTable;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows with column names, as ports with SQL answer in JSON. Numbers keep their text form.
 *
 * @param rows printable values, including NULL
 */
record RowsAnswer(List<String> columns, List<List<String>> rows) {
    static final String CONTENT_TYPE = "application/json";

    private static final JsonFactory JSON = new JsonFactory();
    private static final int SHOWN_CHARS_MAX = 2_000;

    /** Parses an answer. Fails with PORT_PROTOCOL if it has no rows. */
    static RowsAnswer of(String json) {
        List<String> columns = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        try (JsonParser in = JSON.createParser(json)) {
            for (JsonToken token = in.nextToken(); token != null; token = in.nextToken()) {
                if (token == JsonToken.START_ARRAY && "columns".equals(in.currentName())) {
                    readColumns(in, columns);
                } else if (token == JsonToken.START_ARRAY && "rows".equals(in.currentName())) {
                    readRows(in, rows);
                }
            }
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.PORT_PROTOCOL, "the answer is not JSON: " + PrintableText.line(e.getMessage()), e);
        }
        if (columns.isEmpty() || rows.stream().anyMatch(row -> row.size() != columns.size())) {
            throw new UniserveException(
                    ErrorCode.PORT_PROTOCOL,
                    "the answer has no columns, or rows of different lengths; use -o json to see it");
        }
        return new RowsAnswer(columns, rows);
    }

    private static void readColumns(JsonParser in, List<String> columns) throws IOException {
        for (JsonToken token = in.nextToken(); token != JsonToken.END_ARRAY; token = in.nextToken()) {
            if (token == JsonToken.VALUE_STRING && "name".equals(in.currentName())) {
                columns.add(printable(in.getText()));
            }
        }
    }

    private static void readRows(JsonParser in, List<List<String>> rows) throws IOException {
        while (in.nextToken() == JsonToken.START_ARRAY) {
            List<String> row = new ArrayList<>();
            for (JsonToken token = in.nextToken(); token != JsonToken.END_ARRAY; token = in.nextToken()) {
                row.add(token == JsonToken.VALUE_NULL ? "NULL" : printable(in.getText()));
            }
            rows.add(row);
        }
    }

    /** Replaces control characters: a value could otherwise control the terminal. */
    private static String printable(String text) {
        return PrintableText.line(text, SHOWN_CHARS_MAX);
    }

    void print(Console console) {
        TextTable table = new TextTable(columns.toArray(String[]::new));
        rows.forEach(row -> table.row(row.toArray()));
        table.print(console);
        console.println(rows.size() == 1 ? "(1 row)" : "(%,d rows)".formatted(rows.size()));
    }
}
