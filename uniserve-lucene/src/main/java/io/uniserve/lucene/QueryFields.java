package io.uniserve.lucene;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.util.BytesRef;

/** The fields of a query's terms. Stateless. */
public final class QueryFields {
    private QueryFields() {}

    /** All, in the order of their names. */
    public static Set<String> of(Query query) {
        return of(query, term -> true);
    }

    /** Those with a term that is no UTF-8, as a number's or a collation's bytes: it cannot be told as a text. */
    public static Set<String> ofBinaryTerms(Query query) {
        return of(query, term -> !term.bytes().equals(new BytesRef(term.text())));
    }

    private static Set<String> of(Query query, Predicate<Term> wanted) {
        Set<Term> terms = new TreeSet<>();
        query.visit(QueryVisitor.termCollector(terms));
        Set<String> fields = new TreeSet<>();
        terms.stream().filter(wanted).forEach(term -> fields.add(term.field()));
        return fields;
    }
}
