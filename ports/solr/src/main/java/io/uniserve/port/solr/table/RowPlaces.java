package io.uniserve.port.solr.table;

import static io.uniserve.port.solr.table.FieldValues.invalid;

import io.uniserve.api.ActorContext;
import io.uniserve.api.Document;
import io.uniserve.api.extra.EverywhereForm;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;

/**
 * Checks for ports that keep one document per unique key, in tables whose key field may be another field: there the unique key
 * does not tell the actor. See {@link EverywhereForm}.
 */
public final class RowPlaces {
    private RowPlaces() {}

    /** INVALID_ARGUMENT where clients would take another field than {@code uniqueKey} for the unique key of the table's rows. */
    public static void checkOption(TableMeta meta, String uniqueKey) {
        String told = EverywhereForm.uniqueKey(meta);
        boolean matters = meta.options().containsKey(EverywhereForm.OPTION)
                || meta.keyField().equals(told);
        if (matters && !told.equals(uniqueKey)) {
            throw UniserveException.invalid("table option " + EverywhereForm.OPTION + " is \"" + told
                    + "\", but the unique key is \"" + uniqueKey + "\"; give the table " + EverywhereForm.OPTION + '='
                    + uniqueKey);
        }
    }

    /**
     * Refuses a row that this actor must not take: one of an update of this actor alone, where another may have its unique key;
     * one that depends on a document which may be at another actor. In an update of all actors a row that changes fields is for
     * its own actor alone, and needs the document there.
     *
     * @param function the update function that has the row
     * @param version the condition of the row: 0 none, negative for no document, else the version that the document has
     */
    public static void require(String function, ActorContext home, String uniqueKey, Document row, long version) {
        boolean told = row.keyField().equals(uniqueKey);
        boolean change = FieldValues.isChange(row);
        if (!told && !EverywhereForm.is(function)) {
            throw invalid(named(uniqueKey, row) + "may be under another " + row.keyField()
                    + ", so that its update must go to every actor; use a client that does so, as of this version");
        }
        if (change && EverywhereForm.is(function) && !home.owns(row)) {
            throw invalid(named(uniqueKey, row) + "is not for actor " + home.actor() + " but for that of its "
                    + row.keyField() + "; send it to that one alone");
        }
        if (!told && (change ? version < 0 : version != 0)) {
            throw invalid(named(uniqueKey, row) + "depends on version " + version + ", but may be under another "
                    + row.keyField() + "; leave the version out, or change fields of the document with a positive one");
        }
    }

    /**
     * Refuses a row that needs its document, if there is none here but may be one under another key.
     *
     * @param version of the document at this actor, negative where it is not there
     */
    public static void requireHere(ActorContext home, String uniqueKey, Document row, long version) {
        if (version < 0 && !row.keyField().equals(uniqueKey)) {
            throw invalid(named(uniqueKey, row) + "is not under " + row.keyField() + " \""
                    + row.fields().get(row.keyField())
                    + "\"; give the document's own, send the whole document, or delete"
                    + " by id alone, with " + home.meta().port() + ".delete-id@1 on every actor");
        }
    }

    private static String named(String uniqueKey, Document row) {
        return "document \"" + row.fields().get(uniqueKey) + "\" ";
    }
}
