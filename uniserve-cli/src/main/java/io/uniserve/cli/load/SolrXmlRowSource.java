package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
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
import java.util.Set;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Solr's XML updates: {@code <add><doc><field name="id">1</field></doc></add>}, with {@code update="set"} for atomic updates, and {@code
 * <delete><id/><query/></delete>}. Repeated fields are lists. {@code <commit/>} does nothing.
 */
final class SolrXmlRowSource implements RowSource {
    private static final Set<String> FIELD_HAS = Set.of("name", "update", "null");

    private final String file;
    private final String keyField;
    private final CountingInputStream counted;
    private final RowSizeLimitInputStream in;
    private final XMLStreamReader reader;
    private final Deque<String> open = new ArrayDeque<>();
    private Command command = Command.ADD;
    /** True if the open element has an id or a query to delete. */
    private boolean deletes;

    SolrXmlRowSource(String file, String keyField, InputStream in, CountingInputStream counted) {
        this.file = file;
        this.keyField = keyField;
        this.in = new RowSizeLimitInputStream(in);
        this.counted = counted;
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        try {
            reader = factory.createXMLStreamReader(this.in);
        } catch (XMLStreamException e) {
            throw malformedError(e);
        }
    }

    @Override
    public Optional<Document> next() {
        try {
            in.startRow();
            while (reader.hasNext()) {
                int event = reader.next();
                if (event == XMLStreamConstants.START_ELEMENT) {
                    Optional<Document> row = element(reader.getLocalName());
                    if (row.isPresent()) {
                        return row;
                    }
                } else if (event == XMLStreamConstants.CHARACTERS && !reader.isWhiteSpace()) {
                    throw UniserveException.invalid(file + " line " + line() + ": found text \""
                            + PrintableText.line(reader.getText().strip())
                            + "\" outside of fields; put it into an element");
                } else if (event == XMLStreamConstants.END_ELEMENT && open.pop().equals("delete") && !deletes) {
                    throw UniserveException.invalid(
                            file + " line " + line() + ": <delete> has neither <id> nor <query>; give it one");
                }
            }
            return Optional.empty();
        } catch (XMLStreamException e) {
            throw malformedError(e);
        }
    }

    private Optional<Document> element(String name) throws XMLStreamException {
        String parent = open.isEmpty() ? "" : open.peek();
        checkAttributes(name);
        switch (parent + "/" + name) {
            case "add/doc":
                command = Command.ADD;
                return Optional.of(document());
            case "delete/id":
                deletes = true;
                command = Command.DELETE;
                return Optional.of(new Document(keyField, Map.of(keyField, reader.getElementText())));
            case "delete/query":
                deletes = true;
                command = Command.DELETE_QUERY;
                return Optional.of(new Document(keyField, Map.of("query", reader.getElementText())));
            case "/optimize", "update/optimize":
                open.push(name);
                command = Command.OPTIMIZE;
                return Optional.of(new Document(keyField, Map.of()));
            case "/update", "/add", "/delete", "/commit", "update/add", "update/delete", "update/commit":
                deletes = false;
                open.push(name);
                return Optional.empty();
            default:
                throw UniserveException.invalid(
                        file + " line " + line() + ": element <" + name + "> is not supported in "
                                + (parent.isEmpty() ? "the file" : "<" + parent + ">")
                                + ": use add, doc and field, or delete with id or query");
        }
    }

    /** Refuses attributes that change a command. Those that control commits are ignored. */
    private void checkAttributes(String element) {
        for (int i = 0; i < reader.getAttributeCount(); i++) {
            String name = reader.getAttributeLocalName(i);
            boolean known = Set.of("commit", "optimize").contains(element)
                    || name.equals("commitWithin")
                    || (name.equals("overwrite") && reader.getAttributeValue(i).equals("true"))
                    || (element.equals("field") && FIELD_HAS.contains(name));
            if (!known) {
                throw UniserveException.unsupported(file + " line " + line() + ": attribute "
                        + PrintableText.line(name + "=\"" + reader.getAttributeValue(i)) + "\" of <" + element
                        + "> is not supported: leave it out, or use elements");
            }
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
            checkAttributes("field");
            String operation = reader.getAttributeValue(null, "update");
            boolean isNull = "true".equals(reader.getAttributeValue(null, "null"));
            String text = reader.getElementText();
            if (operation == null && fields.get(name) instanceof Map) {
                wrong.add(name);
            } else if (operation == null && !isNull) {
                fields.merge(name, text, SolrXmlRowSource::toList);
            } else if (operation == null) {
                continue; // a field without a value is dropped, as in Solr
            } else if (isNull) {
                Map<String, @Nullable Object> nothing = new LinkedHashMap<>();
                nothing.put(operation, null);
                if (fields.put(name, nothing) != null) {
                    wrong.add(name);
                }
            } else if (fields.get(name) instanceof Map<?, ?> map && map.get(operation) != null) {
                fields.put(name, Map.of(operation, toList(map.get(operation), text)));
            } else if (fields.put(name, Map.of(operation, text)) != null) {
                wrong.add(name);
            }
        }
        if (!wrong.isEmpty()) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    file + " line " + line() + ": fields " + wrong
                            + " have several operations, or null beside a value");
        }
        return new Document(keyField, fields);
    }

    /** Returns both values as a list; if the first is a list already, the second is added to it. */
    @SuppressWarnings("unchecked")
    private static Object toList(@Nullable Object first, Object second) {
        List<Object> all = first instanceof ArrayList ? (List<Object>) first : new ArrayList<>();
        if (!(first instanceof ArrayList)) {
            all.add(String.valueOf(first));
        }
        all.add(second);
        return all;
    }

    private UniserveException malformedError(XMLStreamException e) {
        if (e.getNestedException() instanceof RowSizeLimitInputStream.TooLong tooLong) {
            return new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    file + " line " + e.getLocation().getLineNumber() + ": " + tooLong.getMessage(),
                    e);
        }
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
