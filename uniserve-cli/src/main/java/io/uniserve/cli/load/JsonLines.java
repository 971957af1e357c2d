package io.uniserve.cli.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.uniserve.api.Document;
import java.io.InputStream;

/** One JSON object a line. Whole numbers become Long, others Double; a name given twice is refused. */
final class JsonLines extends LineRows {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String keyField;

    JsonLines(String file, String keyField, InputStream in, CountingInputStream counted) {
        super(file, in, counted);
        this.keyField = keyField;
    }

    @Override
    Document row(String text, long number) {
        try {
            JsonNode node = JSON.readTree(text);
            if (!node.isObject()) {
                throw refused("is not a JSON object", null);
            }
            return new Document(keyField, JsonValues.fields(node));
        } catch (JsonProcessingException e) {
            throw refused("is not JSON: " + e.getOriginalMessage(), e);
        }
    }
}
