package io.uniserve.port.solr.table;

import io.uniserve.codec.CodePoints;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.lucene.analysis.CharFilterFactory;
import org.apache.lucene.analysis.TokenFilterFactory;
import org.apache.lucene.analysis.TokenizerFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Permitted content of a configset: files of texts and the XML files that the schema names; XML without DOCTYPE; listed elements; classes of
 * Solr and Lucene from lists; files of the configset itself. Solr reads more from a folder: an overlay of handlers, properties, jars, files
 * and addresses by attributes, system properties by <code>${name}</code>. All of that is refused by name, before Solr reads a file.
 * Stateless.
 */
public final class ConfigsetRules {
    private static final Pattern FILE = Pattern.compile("(?:\\w[\\w-]*/)*\\w[\\w.-]*\\.(?:txt|xml|dic|aff)");

    private static final Set<String> ELEMENTS = Set.of(
            "schema",
            "types",
            "fields",
            "fieldType",
            "fieldtype",
            "field",
            "dynamicField",
            "copyField",
            "uniqueKey",
            "similarity",
            "analyzer",
            "charFilter",
            "tokenizer",
            "filter",
            "str",
            "int",
            "long",
            "float",
            "double",
            "bool");

    /** Elements whose attributes name classes and files. */
    private static final Set<String> PLUGINS =
            Set.of("fieldType", "fieldtype", "similarity", "analyzer", "charFilter", "tokenizer", "filter");

    private static final Set<String> COMPONENTS = Set.of("charFilter", "tokenizer", "filter");

    /** Attributes that name a component. */
    private static final Set<String> NAMES = Set.of("name", "class");

    /** Attributes with any text. */
    private static final Set<String> TEXTS =
            Set.of("pattern", "replacement", "delimiter", "tokenSeparator", "fillerToken", "default", "rule");

    private static final Set<String> FILES = Set.of(
            "words",
            "synonyms",
            "dictionary",
            "affix",
            "protected",
            "types",
            "mapping",
            "articles",
            "stemdict",
            "userDictionary",
            "hyphenator",
            "tags",
            "custom",
            "currencyConfig",
            "enumsConfig");

    /** A class with its package, {@code solr.NAME}, or a class of a package that Solr loads at runtime. */
    private static final Pattern CLASS = Pattern.compile("(?:[\\w$]+\\.)+[A-Z][\\w$]*|[\\w.-]+:[\\w.$]+");

    private static final Pattern FIELD_TYPE =
            Pattern.compile("(?:solr|org\\.apache\\.solr\\.schema)\\.(?:(?:Str|Bool|Binary|Text|SortableText|Int|Long"
                    + "|Float|Double|UUID|DateRange|BBox|DenseVector|NestPath|Rank|RandomSort|Collation|Enum|Currency"
                    + "|LatLonPointSpatial|PreAnalyzed|(?:Int|Long|Float|Double|Date)Point|Trie\\w*)Field"
                    + "|(?:Enum|Currency|SpatialRecursivePrefixTree)FieldType|PointType|RptWithGeometrySpatialField"
                    + "|FileExchangeRateProvider|(?:Json|Simple)PreAnalyzedParser)");

    private static final Pattern OTHER_CLASS = Pattern.compile("(?:solr|org\\.apache\\.solr\\.search\\.similarities"
            + "|org\\.apache\\.lucene\\.search\\.similarities)\\.\\w*Similarity(?:Factory)?"
            + "|org\\.apache\\.lucene\\.analysis\\.(?:\\w+\\.)+\\w+Analyzer"
            + "|org\\.apache\\.lucene\\.analysis\\.payloads\\.\\w+Encoder"
            + "|org\\.apache\\.commons\\.codec\\.language\\.(?:bm\\.)?\\w+");

    private static final Pattern ELSEWHERE = Pattern.compile("\\s*(?:[/\\\\~]+\\w|\\w+:[/\\\\]).*|.*\\.\\.[/\\\\].*");

    /** Factories whose words are stored by Solr's REST interface, which changes one replica alone. */
    private static final String MANAGED = "managed";

    private static final Set<String> FACTORIES = Stream.of(
                    CharFilterFactory.availableCharFilters().stream().map(CharFilterFactory::lookupClass),
                    TokenizerFactory.availableTokenizers().stream().map(TokenizerFactory::lookupClass),
                    TokenFilterFactory.availableTokenFilters().stream().map(TokenFilterFactory::lookupClass))
            .flatMap(all -> all.map(Class::getName))
            .collect(Collectors.toUnmodifiableSet());

    private static final Set<String> SHORT_FACTORIES = FACTORIES.stream()
            .map(name -> "solr" + name.substring(name.lastIndexOf('.')))
            .collect(Collectors.toUnmodifiableSet());

    /** Solr's configuration of cores in a configset: the port's own replaces it. */
    private static final String IGNORED = "solrconfig.xml";

    private final Path folder;
    /** Files that attributes of the schema name. */
    private final Set<String> named = new HashSet<>();

    private ConfigsetRules(Path folder) {
        this.folder = folder;
    }

    /**
     * Checks a folder.
     *
     * @param schema file with the schema
     * @throws UniserveException INVALID_ARGUMENT with the file, element, attribute or class that is not permitted
     */
    public static void check(Path folder, String schema) throws IOException {
        new ConfigsetRules(folder).check(schema);
    }

    private void check(String schema) throws IOException {
        Element root = parse(schema);
        checkTexts(schema, root);
        check(root);
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path file : walk.filter(Files::isRegularFile)
                    .sorted(Comparator.comparing(Path::toString, CodePoints.ORDER))
                    .toList()) {
                String name = folder.relativize(file).toString();
                if (!FILE.matcher(name).matches()) {
                    throw refused(
                            "file \"" + PrintableText.line(name) + "\"",
                            "remove it: a configset has a schema, and the files of words that it names");
                }
                if (name.endsWith(".xml") && !name.equals(schema) && !name.equals(IGNORED)) {
                    if (!named.contains(name)) {
                        throw refused(
                                "file \"" + PrintableText.line(name) + "\", which the schema does not name",
                                "remove it");
                    }
                    checkTexts(name, parse(name));
                }
            }
        }
    }

    private Element parse(String name) throws IOException {
        try {
            return parser().parse(folder.resolve(name).toFile()).getDocumentElement();
        } catch (SAXException e) {
            String why = String.valueOf(e.getMessage());
            if (why.contains("DOCTYPE")) {
                throw refused(
                        "a DOCTYPE in file " + name,
                        "remove it, and write what its entities stand for: no XML file may name files or addresses");
            }
            throw UniserveException.invalid("configset: file " + name + " is not valid XML: " + PrintableText.line(why)
                    + "; give the " + name + " of a configset");
        }
    }

    /** Refuses references to properties in the texts and attributes of an element and of those in it. */
    private void checkTexts(String file, Node node) {
        for (int i = 0; node.getAttributes() != null && i < node.getAttributes().getLength(); i++) {
            checkTexts(file, node.getAttributes().item(i));
        }
        String text = node instanceof Element ? null : node.getNodeValue();
        if (text != null && node.getNodeType() != Node.COMMENT_NODE && text.contains("${")) {
            int from = text.indexOf("${");
            int end = text.indexOf('}', from);
            throw refused(
                    "\"" + PrintableText.line(text.substring(from, end < 0 ? text.length() : end + 1)) + "\" in file "
                            + file,
                    "write the value: properties of the system and the environment are not those of a table");
        }
        for (Node child = node.getFirstChild(); child != null; child = child.getNextSibling()) {
            checkTexts(file, child);
        }
    }

    /** A parser that refuses a DOCTYPE, however it is encoded, and includes no other file. */
    private static DocumentBuilder parser() {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setXIncludeAware(false);
            factory.setNamespaceAware(true);
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(null);
            return builder;
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    private void check(Element element) {
        String name = element.getTagName();
        if (!ELEMENTS.contains(name)) {
            throw refused(
                    "element <" + PrintableText.line(name) + ">", "remove it, or put what it includes into the schema");
        }
        if (PLUGINS.contains(name)) {
            for (int i = 0; i < element.getAttributes().getLength(); i++) {
                Node attribute = element.getAttributes().item(i);
                if (!TEXTS.contains(attribute.getNodeName())) {
                    check(name, attribute);
                }
            }
        }
        for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element inner) {
                check(inner);
            }
        }
    }

    private void check(String element, Node attribute) {
        String where = "attribute " + attribute.getNodeName() + " of <" + element + ">";
        String value = attribute.getNodeValue();
        String component = value.substring(value.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        if (component.startsWith(MANAGED) && COMPONENTS.contains(element) && NAMES.contains(attribute.getNodeName())) {
            throw refused(where + ", \"" + PrintableText.line(value) + "\"", "use a file of words");
        }
        if (FILES.contains(attribute.getNodeName())) {
            checkFiles(where, attribute.getNodeName(), value);
        } else if (ELSEWHERE.matcher(value).matches()) {
            throw refused(where + ", \"" + PrintableText.line(value) + "\"", "use a file of the configset");
        }
        boolean isName = attribute.getNodeName().equals("name") && !COMPONENTS.contains(element);
        if (!isName && CLASS.matcher(value).matches() && !isPermittedClass(value) && !named.contains(value)) {
            throw refused(
                    where + ", class " + PrintableText.line(value),
                    "use a class of the manual's list: servers load no others");
        }
    }

    private static boolean isPermittedClass(String name) {
        return FACTORIES.contains(name)
                || SHORT_FACTORIES.contains(name)
                || FIELD_TYPE.matcher(name).matches()
                || OTHER_CLASS.matcher(name).matches();
    }

    private void checkFiles(String where, String attribute, String value) {
        for (String file : List.of(value.split(","))) {
            String name = file.strip();
            Matcher form = FILE.matcher(name);
            boolean literal = attribute.equals("tags") && !name.contains(".") && !name.contains("/");
            named.add(name);
            if (!literal && !(form.matches() && Files.isRegularFile(folder.resolve(name)))) {
                throw refused(
                        where + ", file \"" + PrintableText.line(name) + "\"",
                        "use the name of a file of the configset");
            }
        }
    }

    private static UniserveException refused(String what, String remedy) {
        return UniserveException.invalid("configset: " + what + " is not permitted: " + remedy);
    }
}
