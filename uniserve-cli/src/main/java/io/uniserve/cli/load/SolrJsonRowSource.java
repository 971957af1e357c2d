package io.uniserve.cli.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Solr's JSON updates: an array of documents, or an object of commands, {@code {"add": {"doc": {...}}, "add": [{...}, {...}], "delete":
 * {"id": "1"}, "delete": ["2", {"query": "..."}]}}. Commands may be repeated. {@code "commit"} does nothing.
 */
final class SolrJsonRowSource implements RowSource {
    /** Duplicate names in a document are refused; commands may be repeated. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    private static final String VERSION = "_version_";
    private static final Set<String> ADD_HAS = Set.of("doc", "overwrite", "commitWithin");
    private static final Set<String> DELETE_HAS = Set.of("id", "query", "commitWithin", VERSION);

    private final String file;
    private final String keyField;
    private final CountingInputStream counted;
    private final RowSizeLimitInputStream bytes;
    private final RowSizeLimitParser parser;
    private final Queue<QueuedCommand> commands = new ArrayDeque<>();
    private Command command = Command.ADD;

    /** Command with its row, or with the error if it is invalid. */
    private record QueuedCommand(
            Command command, Document row, @Nullable UniserveException error) {}

    SolrJsonRowSource(String file, String keyField, InputStream in, CountingInputStream counted) throws IOException {
        this.file = file;
        this.keyField = keyField;
        this.counted = counted;
        this.bytes = new RowSizeLimitInputStream(in);
        this.parser = new RowSizeLimitParser(JSON.createParser(bytes));
    }

    @Override
    public Optional<Document> next() {
        try {
            bytes.startRow();
            parser.startRow();
            while (commands.isEmpty()) {
                JsonToken token = parser.nextToken();
                if (token == null) {
                    return Optional.empty();
                }
                Optional<Document> row = readToken(token);
                if (row.isPresent()) {
                    command = Command.ADD;
                    return row;
                }
            }
            QueuedCommand other = commands.remove();
            command = other.command();
            if (other.error() != null) {
                throw other.error();
            }
            return Optional.of(other.row());
        } catch (StreamConstraintsException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, file + " line " + line() + ": " + e.getOriginalMessage(), e);
        } catch (JsonProcessingException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    file + " line " + line() + " is not JSON: " + e.getOriginalMessage(),
                    e);
        } catch (RowSizeLimitInputStream.TooLong e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, file + " line " + line() + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, file + " cannot be read: " + e, e);
        }
    }

    private Optional<Document> readToken(JsonToken token) throws IOException {
        JsonStreamContext parent = parser.getParsingContext().getParent();
        if (token == JsonToken.START_OBJECT && parent != null && parent.inArray()) {
            return Optional.of(document(JSON.readTree(parser)));
        }
        if (token == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            boolean list = parser.nextToken() == JsonToken.START_ARRAY;
            // The documents of a list, which may be long, are read one by one.
            return name.equals("add") && list ? Optional.empty() : command(name, JSON.readTree(parser));
        }
        if (token.isScalarValue()) {
            throw invalidRow(parser.getText() + " found, expected an object");
        }
        return Optional.empty();
    }

    private Optional<Document> command(String name, @Nullable JsonNode value) {
        switch (name) {
            case "add":
                if (value == null || !value.path("doc").isObject()) {
                    throw invalidRow("\"add\" has no \"doc\"; give it one, or a list of documents");
                }
                if (!value.path("overwrite").asBoolean(true)) {
                    throw unsupported("\"add\" with \"overwrite\": false; documents with the same key are replaced");
                }
                checkKnownFields("add", value, ADD_HAS);
                return Optional.of(document(value.path("doc")));
            case "delete":
                delete(value);
                return Optional.empty();
            case "optimize":
                commands.add(new QueuedCommand(Command.OPTIMIZE, new Document(keyField, Map.of()), null));
                return Optional.empty();
            case "commit":
                return Optional.empty();
            default:
                throw UniserveException.invalid(file + " line " + line() + ": command \"" + name
                        + "\" is not supported: use an array of documents, or add and delete");
        }
    }

    private UniserveException unsupported(String what) {
        return UniserveException.unsupported(file + " line " + line() + ": " + what);
    }

    private void checkKnownFields(String name, JsonNode value, Set<String> known) {
        value.fieldNames().forEachRemaining(key -> {
            if (!known.contains(key)) {
                throw unsupported(
                        "\"" + PrintableText.line(key) + "\" in \"" + name + "\" is not supported: leave it out");
            }
        });
    }

    /** Reads the documents to delete: an id, an object with an id, several ids, a query, or a list of these. */
    private void delete(@Nullable JsonNode value) {
        if (value != null && value.isArray()) {
            queueAll(value, this::deleteOne);
        } else {
            deleteOne(value);
        }
    }

    /** Reads a list. An error in it is reported in order with the rows, because the parser has already read the whole list. */
    private void queueAll(JsonNode list, Consumer<JsonNode> delete) {
        for (JsonNode one : list) {
            try {
                delete.accept(one);
            } catch (UniserveException e) {
                if (e.code() != ErrorCode.INVALID_ROW) {
                    throw e;
                }
                commands.add(new QueuedCommand(Command.DELETE, new Document(keyField, Map.of()), e));
            }
        }
    }

    private void deleteOne(@Nullable JsonNode value) {
        if (value == null || !value.isObject()) {
            deleteId(value, MissingNode.getInstance());
        } else {
            checkKnownFields("delete", value, DELETE_HAS);
            if (value.has("id") && value.has("query")) {
                throw invalidRow(
                        "\"delete\" has both \"id\" and \"query\"; give it one, and another \"delete\" the other");
            }
            JsonNode version = value.path(VERSION);
            if (!version.isMissingNode() && (!version.isIntegralNumber() || !value.has("id"))) {
                throw invalidRow("\"delete\" has \"" + VERSION + "\"; give it a whole number, beside \"id\"");
            }
            if (value.path("query").isTextual()) {
                Document row = new Document(
                        keyField, Map.of("query", value.path("query").textValue()));
                commands.add(new QueuedCommand(Command.DELETE_QUERY, row, null));
                return;
            }
            JsonNode ids = value.path("id");
            if (ids.isArray()) {
                queueAll(ids, id -> deleteId(id, version));
            } else {
                deleteId(ids, version);
            }
        }
    }

    /** Deletes by id. A number stands for the id with its digits. */
    private void deleteId(@Nullable JsonNode id, JsonNode version) {
        if (id == null || id.isNull() || id.isMissingNode()) {
            throw invalidRow("\"delete\" has neither \"id\" nor \"query\"; give it one");
        }
        if (!id.isTextual() && !id.isIntegralNumber()) {
            throw invalidRow("\"delete\" has the id " + PrintableText.line(id.toString()) + "; give it a text");
        }
        Map<String, Object> fields = version.isMissingNode()
                ? Map.of(keyField, id.asText())
                : Map.of(keyField, id.asText(), VERSION, version.longValue());
        commands.add(new QueuedCommand(Command.DELETE, new Document(keyField, fields), null));
    }

    private Document document(JsonNode node) {
        return new Document(keyField, JsonValueConverter.fields(node));
    }

    private UniserveException invalidRow(String why) {
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
