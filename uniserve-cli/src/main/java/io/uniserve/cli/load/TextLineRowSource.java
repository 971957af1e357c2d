package io.uniserve.cli.load;

import io.uniserve.api.Document;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lines of text: the key is the line's number, the text is in field {@code text}. */
final class TextLineRowSource extends LineRowSource {
    private final String keyField;

    TextLineRowSource(String file, String keyField, InputStream in, CountingInputStream counted) {
        super(file, in, counted);
        this.keyField = keyField;
    }

    @Override
    Document row(String text, long number) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put(keyField, "%09d".formatted(number));
        fields.put("text", text);
        return new Document(keyField, fields);
    }
}
