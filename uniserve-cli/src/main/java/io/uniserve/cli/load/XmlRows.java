package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Solr's XML updates: {@code <add><doc><field name="id">1</field></doc></add>}, with {@code update="set"} for atomic updates,
 * and {@code <delete><id/><query/></delete>}. A field given twice has several values. {@code <commit/>} does nothing.
 */
final class XmlRows implements RowSource {
    private final String file;
    private final String keyField;
    private final CountingInputStream counted;
    private final InputStream in;
    private final XMLStreamReader reader;
    private final Deque<String> open = new ArrayDeque<>();
    private Command command = Command.ADD;

    XmlRows(String file, String keyField, InputStream in, CountingInputStream counted) {
        this.file = file;
        this.keyField = keyField;
        this.in = in;
        this.counted = counted;
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        try {
            reader = factory.createXMLStreamReader(in);
        } catch (XMLStreamException e) {
            throw broken(e);
        }
    }

    @Override
    public Optional<Document> next() {
        try {
            while (reader.hasNext()) {
                int event = reader.next();
                if (event == XMLStreamConstants.START_ELEMENT) {
                    Optional<Document> row = element(reader.getLocalName());
                    if (row.isPresent()) {
                        return row;
                    }
                } else if (event == XMLStreamConstants.END_ELEMENT) {
                    open.pop();
                }
            }
            return Optional.empty();
        } catch (XMLStreamException e) {
            throw broken(e);
        }
    }

    private Optional<Document> element(String name) throws XMLStreamException {
        String parent = open.isEmpty() ? "" : open.peek();
        switch (parent + "/" + name) {
            case "add/doc":
                command = Command.ADD;
                return Optional.of(document());
            case "delete/id":
                command = Command.DELETE;
                return Optional.of(new Document(keyField, Map.of(keyField, reader.getElementText())));
            case "delete/query":
                command = Command.DELETE_QUERY;
                return Optional.of(new Document(keyField, Map.of("query", reader.getElementText())));
            case "/update", "/add", "/delete", "/commit", "/optimize":
            case "update/add", "update/delete", "update/commit", "update/optimize":
                open.push(name);
                return Optional.empty();
            default:
                throw UniserveException.invalid(
                        file + " line " + line() + ": element <" + name + "> is not supported in "
                                + (parent.isEmpty() ? "the file" : "<" + parent + ">")
                                + ": use add, doc and field, or delete with id or query");
        }
    }

    private Document document() throws XMLStreamException {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        List<String> wrong = new ArrayList<>();
        while (reader.nextTag() == XMLStreamConstants.START_ELEMENT) {
            String name = reader.getAttributeValue(null, "name");
            if (!reader.getLocalName().equals("field") || name == null) {
                throw UniserveException.invalid(file + " line " + line()
                        + ": a doc has fields with a name; nested documents are not supported");
            }
            String operation = reader.getAttributeValue(null, "update");
            boolean isNull = "true".equals(reader.getAttributeValue(null, "null"));
            String text = reader.getElementText();
            if (operation == null) {
                fields.merge(name, text, XmlRows::both);
            } else if (isNull) {
                Map<String, @Nullable Object> nothing = new LinkedHashMap<>();
                nothing.put(operation, null);
                fields.put(name, nothing);
            } else if (fields.get(name) instanceof Map<?, ?> map && map.get(operation) != null) {
                fields.put(name, Map.of(operation, both(map.get(operation), text)));
            } else if (fields.put(name, Map.of(operation, text)) != null) {
                wrong.add(name);
            }
        }
        if (!wrong.isEmpty()) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW, file + " line " + line() + ": fields " + wrong + " have several operations");
        }
        return new Document(keyField, fields);
    }

    private static Object both(@Nullable Object first, Object second) {
        List<@Nullable Object> all =
                new ArrayList<>(first instanceof List<?> list ? list : List.of(String.valueOf(first)));
        all.add(second);
        return all;
    }

    private UniserveException broken(XMLStreamException e) {
        return new UniserveException(
                ErrorCode.INVALID_ARGUMENT,
                file + " line " + e.getLocation().getLineNumber() + " is not XML: " + e.getMessage(),
                e);
    }

    @Override
    public Command command() {
        return command;
    }

    @Override
    public long line() {
        return reader.getLocation().getLineNumber();
    }

    @Override
    public long bytesRead() {
        return counted.count();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
