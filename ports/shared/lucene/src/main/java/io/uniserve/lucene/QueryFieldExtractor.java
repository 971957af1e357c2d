package io.uniserve.lucene;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.util.BytesRef;

/** Fields of a query's terms. Stateless. */
public final class QueryFieldExtractor {
    private QueryFieldExtractor() {}

    /** Returns all fields, sorted by name. */
    public static Set<String> of(Query query) {
        return of(query, term -> true);
    }

    /** Returns the fields with a term that is not UTF-8, such as bytes of a number or a collation: it has no text form. */
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
