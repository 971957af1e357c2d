package io.uniserve.cli.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Solr's JSON updates: an array of documents, or an object of commands, {@code {"add": {"doc": {...}}, "delete": {"id": "1"},
 * "delete": {"query": "..."}}}, of which a name may come several times. {@code "commit"} does nothing.
 */
final class JsonRows implements RowSource {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String file;
    private final String keyField;
    private final CountingInputStream counted;
    private final JsonParser parser;
    private final Queue<Document> deletions = new ArrayDeque<>();
    private Command command = Command.ADD;
    private Command deleting = Command.DELETE;

    JsonRows(String file, String keyField, InputStream in, CountingInputStream counted) throws IOException {
        this.file = file;
        this.keyField = keyField;
        this.counted = counted;
        this.parser = JSON.createParser(in);
    }

    @Override
    public Optional<Document> next() {
        try {
            while (deletions.isEmpty()) {
                JsonToken token = parser.nextToken();
                if (token == null) {
                    return Optional.empty();
                }
                Optional<Document> row = take(token);
                if (row.isPresent()) {
                    command = Command.ADD;
                    return row;
                }
            }
            command = deleting;
            return Optional.ofNullable(deletions.poll());
        } catch (JsonProcessingException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    file + " line " + line() + " is not JSON: " + e.getOriginalMessage(),
                    e);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, file + " cannot be read: " + e, e);
        }
    }

    private Optional<Document> take(JsonToken token) throws IOException {
        JsonStreamContext parent = parser.getParsingContext().getParent();
        if (token == JsonToken.START_OBJECT && parent != null && parent.inArray()) {
            return Optional.of(document(JSON.readTree(parser)));
        }
        if (token == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            return command(name, JSON.readTree(parser));
        }
        if (token.isScalarValue()) {
            throw row(parser.getText() + " is where an object belongs");
        }
        return Optional.empty();
    }

    private Optional<Document> command(String name, @Nullable JsonNode value) {
        switch (name) {
            case "add":
                if (value == null || !value.path("doc").isObject()) {
                    throw row("\"add\" has no \"doc\"");
                }
                return Optional.of(document(value.path("doc")));
            case "delete":
                delete(value);
                return Optional.empty();
            case "commit", "optimize":
                return Optional.empty();
            default:
                throw UniserveException.invalid(file + " line " + line() + ": command \"" + name
                        + "\" is not supported: use an array of documents, or add and delete");
        }
    }

    private void delete(@Nullable JsonNode value) {
        if (value != null && value.path("query").isTextual()) {
            deleting = Command.DELETE_QUERY;
            deletions.add(
                    new Document(keyField, Map.of("query", value.path("query").textValue())));
            return;
        }
        deleting = Command.DELETE;
        JsonNode ids = value != null && value.isObject() ? value.path("id") : value;
        if (ids != null && ids.isTextual()) {
            deletions.add(new Document(keyField, Map.of(keyField, ids.textValue())));
        } else if (ids != null && ids.isArray()) {
            ids.forEach(id -> deletions.add(new Document(keyField, Map.of(keyField, id.asText()))));
        } else {
            throw row("\"delete\" has neither \"id\" nor \"query\"");
        }
    }

    private Document document(JsonNode node) {
        return new Document(keyField, JsonValues.fields(node));
    }

    private UniserveException row(String why) {
        return new UniserveException(ErrorCode.INVALID_ROW, file + " line " + line() + ": " + why);
    }

    @Override
    public Command command() {
        return command;
    }

    @Override
    public long line() {
        return parser.currentLocation().getLineNr();
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
