package io.uniserve.port.druid.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.util.Map;
import java.util.TreeMap;
import org.apache.druid.query.lookup.LookupExtractorFactoryContainer;
import org.apache.druid.query.lookup.MapLookupExtractorFactory;

/**
 * Lookups of a table: the table option {@code lookups}, a JSON object of maps by name, such as {@code {"country": {"it": "Italy"}}}.
 * Stateless.
 */
public final class TableLookups {
    /** Name of the table option. */
    public static final String OPTION = "lookups";

    private static final TypeReference<Map<String, Map<String, String>>> TYPE = new TypeReference<>() {};

    private TableLookups() {}

    /**
     * Adds a table's lookups to those of the query's other tables. An actor has only the lookups of its own table. So tables of a query must
     * not define different lookups of one name.
     *
     * @throws UniserveException INVALID_ARGUMENT if another table has a different lookup of the same name
     */
    public static void add(TableMeta meta, Map<String, LookupExtractorFactoryContainer> all) {
        of(meta).forEach((name, lookup) -> {
            LookupExtractorFactoryContainer other = all.putIfAbsent(name, lookup);
            if (other != null && !other.equals(lookup)) {
                throw UniserveException.invalid("lookup \"" + PrintableText.line(name) + "\" of table "
                        + meta.name().value() + " differs from the lookup with this name in another table of the query:"
                        + " give both tables the same lookup, or rename one");
            }
        });
    }

    /** The table's lookups by name. Fails with INVALID_ARGUMENT if the option is malformed. */
    public static Map<String, LookupExtractorFactoryContainer> of(TableMeta meta) {
        String text = meta.options().get(OPTION);
        if (text == null) {
            return Map.of();
        }
        Map<String, LookupExtractorFactoryContainer> lookups = new TreeMap<>();
        try {
            DruidServices.get()
                    .json()
                    .readValue(text, TYPE)
                    .forEach((name, map) -> lookups.put(
                            name,
                            new LookupExtractorFactoryContainer("v1", new MapLookupExtractorFactory(map, false))));
        } catch (JsonProcessingException | NullPointerException | StackOverflowError e) {
            String why = e instanceof JsonProcessingException json ? json.getOriginalMessage() : "a map is missing";
            throw UniserveException.invalid("table option " + OPTION + " is not a JSON object of maps of texts: "
                    + PrintableText.line(why) + "; give {\"NAME\": {\"KEY\": \"VALUE\"}}");
        }
        return lookups;
    }
}
