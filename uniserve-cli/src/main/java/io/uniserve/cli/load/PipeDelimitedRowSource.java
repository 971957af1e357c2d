package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import java.io.InputStream;
import java.util.List;

/** Lines of values separated by bars, optionally with one at the end, in the order of the table's columns, as in TPC-H. */
final class PipeDelimitedRowSource extends LineRowSource {
    private final String keyField;
    private final ColumnSchema columns;

    PipeDelimitedRowSource(
            String file, String keyField, ColumnSchema columns, InputStream in, CountingInputStream counted) {
        super(file, in, counted);
        this.keyField = keyField;
        this.columns = columns;
    }

    /** Values are decoded one by one, so that an error names the column. */
    @Override
    String text(String bytes) {
        return bytes;
    }

    @Override
    Document row(String text, long number) {
        List<String> names = columns.names();
        long bars = text.chars().filter(c -> c == '|').count();
        if (bars > names.size()) {
            throw FileTextDecoder.wrongLength(location(), names, (int) bars + 1);
        }
        List<String> values = List.of(text.split("\\|", -1));
        if (values.size() == names.size() + 1 && values.get(names.size()).isEmpty()) {
            values = values.subList(0, names.size());
        }
        if (values.size() != names.size()) {
            throw FileTextDecoder.wrongLength(location(), names, values.size());
        }
        return FileTextDecoder.typedRow(
                location(), columns, keyField, names, FileTextDecoder.values(location(), names, values));
    }
}
