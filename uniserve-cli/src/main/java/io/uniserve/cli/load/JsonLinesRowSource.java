package io.uniserve.cli.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;

/** Reader of files with one JSON object per line. Integers become Long, other numbers Double. Duplicate names are rejected. */
final class JsonLinesRowSource extends LineRowSource {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String keyField;

    JsonLinesRowSource(String file, String keyField, InputStream in, CountingInputStream counted) {
        super(file, in, counted);
        this.keyField = keyField;
    }

    @Override
    Document row(String text, long number) {
        try (RowSizeLimitParser tokens = new RowSizeLimitParser(JSON.createParser(text))) {
            JsonNode node = JSON.readTree(tokens);
            if (node == null || !node.isObject()) {
                throw invalidRow("is not a JSON object", null);
            }
            return new Document(keyField, JsonValueConverter.fields(node));
        } catch (StreamConstraintsException e) {
            throw new UniserveException(ErrorCode.TOO_LARGE, location() + ": " + e.getOriginalMessage(), e);
        } catch (JsonProcessingException e) {
            throw invalidRow("is not JSON: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw invalidRow("cannot be read: " + e.getMessage(), e);
        }
    }
}
