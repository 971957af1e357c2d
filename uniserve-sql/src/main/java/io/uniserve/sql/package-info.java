/**
 * SQL over tables whose actors are tables of an engine that knows SQL itself: a query is parsed and checked, then split into
 * what every actor answers and what the engine makes of the answers.
 */
@NullMarked
package io.uniserve.sql;

import org.jspecify.annotations.NullMarked;
