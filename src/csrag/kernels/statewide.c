/* Supply cost at many sites: for each, the cheapest clusters of a circle until one year's demand is met.

   Clusters lie in blocks of a few kilometres, inside a block by the part of their score that does not depend on the site (g).
   For a site, a block's least possible haul part L bounds every score in it from below: the clusters of the block are
   looked at until g + L exceeds a threshold T. T starts from the neighbouring site's cut; where it gathers too little it is
   raised and the site is gathered again. The cut inside what was gathered is exact, and so are the sums, which are always
   added in the blocks' order: no result depends on T, on the order of the sites or on the number of threads.

   Distances follow from the chord between unit vectors, to some 1e-11 km. Where a decision of the reference (circle, distance
   band, order, demand met) hangs on less than that, the site is flagged and the caller settles it with the reference itself.

   No libm beyond sqrt decides anything, no contraction, no reassociation: the same bytes on every machine. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

#ifndef CSRAG_SOURCE
#define CSRAG_SOURCE "unknown"
#endif

#define EARTH_KM 6371.0088
#define MIN_HAUL_KM 1.0
#define EDGE_KM 1e-9      /* closer than this to a circle's or band's edge is left to the reference */
#define TIE_REL 1e-11     /* scores that differ by less, relative to their size, as well */
#define TONS_REL 1e-10    /* and sums of tons, relative to the demand */
#define MAX_BANDS 64
#define SLACK 0.5              /* how much of what the cut may rise by from site to site is granted at first */

enum { AVERAGE, HARVEST, HAUL, LAST_TON, TAKEN, AVAILABLE, CLUSTERS, BURN, ROAD, ACRES, HIGH_ACRES, MET, FIGURES };

/* 64 bytes, a line of the cache. */
typedef struct {
    double g, harvest, x, y, z, tons, burn;
    int32_t zone, high;
} Cluster;

typedef struct {
    int64_t rows, cols, bands;
    double lat0, lon0, dlat, dlon;     /* radians */
    const int64_t *offset;             /* rows * cols + 1 */
    const double *tons_before;         /* rows * (cols + 1): tons of the blocks to the west in the same row */
    const double *first_g;             /* rows * cols: least g of the block, infinite where it is empty */
    const double *least_factor;        /* rows * cols: least factor of the block's zones over all bands */
    const double *block_factor;        /* rows * cols * bands: the same by band */
    const Cluster *cluster;
    const double *x, *y, *z, *tons, *acres;
    const double *edge_km;             /* bands - 1 */
    const double *factor;              /* zones * bands; zone 0 is the unknown one */
    double tau, unloading;
    double key_tau;                    /* tau, or 0 where cost has no part in the score */
    double step;                       /* first guess of how far a threshold has to rise */
    double slack_per_rad;              /* how far it may rise by moving the site */
} Pool;

typedef struct {
    double key, road, tons;
    int32_t at, unsure;
} Entry;

typedef struct {
    Entry *entry;
    int64_t size, room;
    double *col_near, *col_far;        /* bounds of sin^2 of half the difference in longitude, by block column */
    double *cos_low, *cos_high;        /* bounds of the cosine of latitude, by block row */
    double edge2[MAX_BANDS];           /* squared chords of the band edges */
    double *bin;
    int64_t rounds;
} Work;

/* A site and its circle: block rows and columns that it may touch. */
typedef struct {
    double lat, lon, cos_lat;
    double x, y, z;
    int64_t r0, r1, c0, c1;
} Site;

/* What a call needs to know of its circles: radius and squared chords of it and of what lies a hair inside and outside. */
typedef struct {
    double radius_km, in2, low2, high2;
} Circle;

#define BINS 4096

static double squared_chord(double km) {
    double s = sin(km / (2.0 * EARTH_KM));
    return 4.0 * s * s;
}

/* 2 R asin(chord / 2) by its series: the first term left out is below 1e-17 of the sum up to 200 km, 2e-15 up to 500 km. */
static double km_of(double chord2) {
    double q = 0.25 * chord2, s = sqrt(q);
    double p = 1.0 + q * (1.0 / 6 + q * (3.0 / 40 + q * (15.0 / 336 + q * (105.0 / 3456 + q * (945.0 / 42240)))));
    return 2.0 * EARTH_KM * s * p;
}

/* Bounds of sin^2(angle / 2) that need no library: y - y^3/6 <= sin y <= y, the left one rising up to y = sqrt 2. */
static double half_sine2_low(double angle) {
    double y = 0.5 * angle;
    if (y > 1.4) y = 1.4;
    y = y - y * y * y / 6.0;
    return y * y;
}

static double half_sine2_high(double angle) { return 0.25 * angle * angle; }

static inline int push(Work *w, double key, double road, double tons, int64_t at, int unsure) {
    if (w->size == w->room) {
        int64_t room = w->room * 2;
        Entry *more = realloc(w->entry, (size_t)room * sizeof(Entry));
        if (!more) return 0;
        w->entry = more;
        w->room = room;
    }
    Entry *e = &w->entry[w->size++];
    e->key = key;
    e->road = road;
    e->tons = tons;
    e->at = (int32_t)at;
    e->unsure = unsure;
    return 1;
}

/* Road km of a cluster; `unsure` where the band hangs on a hair, then the shorter of the two roads. */
static inline double road_of(const Pool *p, const double *edge2, const Cluster *c, double chord2, int *unsure) {
    const double *factor = p->factor + (int64_t)c->zone * p->bands;
    double km = km_of(chord2), road;
    int64_t band = 0;
    *unsure = 0;
    while (band < p->bands - 1 && chord2 >= edge2[band]) band++;
    road = km * factor[band];
    if (band > 0 && km - p->edge_km[band - 1] < EDGE_KM) {
        double other = km * factor[band - 1];
        if (other != road) *unsure = 1;
        if (other < road) road = other;
    }
    if (band < p->bands - 1 && p->edge_km[band] - km < EDGE_KM) {
        double other = km * factor[band + 1];
        if (other != road) *unsure = 1;
        if (other < road) road = other;
    }
    return road > MIN_HAUL_KM ? road : MIN_HAUL_KM;
}

/* Least road km to a block that is at least `near` and at most `far` km away; `only` is the band of all its clusters, or -1. */
static double least_road(const Pool *p, int64_t block, double near, double far, int64_t *only) {
    const double *factor = p->block_factor + block * p->bands;
    double best = INFINITY;
    int64_t bands = 0;
    for (int64_t b = 0; b < p->bands; b++) {
        double low = b > 0 ? p->edge_km[b - 1] : 0.0;
        if (b > 0 && low > far + 2.0 * EDGE_KM) break;
        if (b < p->bands - 1 && p->edge_km[b] < near - 2.0 * EDGE_KM) continue;
        double road = (low > near ? low : near) * factor[b];
        if (road < best) best = road;
        *only = b;
        bands++;
    }
    if (bands != 1) *only = -1;
    best *= 1.0 - 1e-9;
    return best > MIN_HAUL_KM ? best : MIN_HAUL_KM;
}

/* Tons of the clusters of an edge block inside the circle, in four lanes whatever the machine's vectors. */
static double edge_tons(const Pool *p, int64_t start, int64_t stop, const Site *s, const Circle *c, int64_t *count, int *unsure) {
    double lane[4] = {0, 0, 0, 0}, inner[4] = {0, 0, 0, 0}, outer[4] = {0, 0, 0, 0};
    int64_t i = start;
    const double *x = p->x, *y = p->y, *z = p->z, *t = p->tons;
    const double sx = s->x, sy = s->y, sz = s->z, in2 = c->in2, low2 = c->low2, high2 = c->high2;
    for (; i + 4 <= stop; i += 4)
        for (int k = 0; k < 4; k++) {
            double dx = x[i + k] - sx, dy = y[i + k] - sy, dz = z[i + k] - sz;
            double c2 = dx * dx + dy * dy + dz * dz;
            lane[k] += c2 <= in2 ? t[i + k] : 0.0;
            inner[k] += c2 < low2 ? 1.0 : 0.0;
            outer[k] += c2 < high2 ? 1.0 : 0.0;
        }
    for (; i < stop; i++) {
        double dx = x[i] - sx, dy = y[i] - sy, dz = z[i] - sz;
        double c2 = dx * dx + dy * dy + dz * dz;
        lane[0] += c2 <= in2 ? t[i] : 0.0;
        inner[0] += c2 < low2 ? 1.0 : 0.0;
        outer[0] += c2 < high2 ? 1.0 : 0.0;
    }
    double within = (inner[0] + inner[1]) + (inner[2] + inner[3]);
    *count += (int64_t)within;
    if (within != (outer[0] + outer[1]) + (outer[2] + outer[3])) *unsure = 1;
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* Angles that are taken a hair wider, against rounding. */
#define PAD 1e-11
#define HALF_TURN 3.14159265358979323846

/* Block rows and columns that the circle may touch, and the bounds by column. */
static void look_around(const Pool *p, Work *w, const Circle *c, Site *s) {
    double angle = c->radius_km / EARTH_KM * (1.0 + 1e-9) + PAD;
    s->r0 = (int64_t)floor((s->lat - angle - p->lat0) / p->dlat) - 1;
    s->r1 = (int64_t)floor((s->lat + angle - p->lat0) / p->dlat) + 1;
    if (s->r0 < 0) s->r0 = 0;
    if (s->r1 > p->rows - 1) s->r1 = p->rows - 1;
    s->c0 = 0;
    s->c1 = p->cols - 1;
    if (s->r0 > s->r1) return;
    double flattest = fmin(w->cos_low[s->r0], w->cos_low[s->r1]);
    double share = 0.5 * sqrt(c->high2 / fmax(flattest * s->cos_lat, 1e-12));
    double half = share < 1.0 ? 2.0 * asin(share) * (1.0 + 1e-9) + PAD : HALF_TURN;
    if (half < HALF_TURN / 2 && s->lon - half > -HALF_TURN && s->lon + half < HALF_TURN) {
        s->c0 = (int64_t)floor((s->lon - half - p->lon0) / p->dlon) - 1;
        s->c1 = (int64_t)floor((s->lon + half - p->lon0) / p->dlon) + 1;
        if (s->c0 < 0) s->c0 = 0;
        if (s->c1 > p->cols - 1) s->c1 = p->cols - 1;
    }
    for (int64_t k = s->c0; k <= s->c1; k++) {
        double west = p->lon0 + (double)k * p->dlon - PAD, east = p->lon0 + (double)(k + 1) * p->dlon + PAD;
        double near = fmax(fmax(west - s->lon, s->lon - east), 0.0), far = fmax(fabs(west - s->lon), fabs(east - s->lon));
        /* Across the date line differences say nothing: no bound. */
        w->col_near[k] = far > HALF_TURN ? 0.0 : half_sine2_low(near);
        w->col_far[k] = far > HALF_TURN ? 1e3 : half_sine2_high(far);
    }
}

/* Bounds by block row: sin^2 of half the difference in latitude, and what multiplies the bounds by column. */
typedef struct {
    double near, far, shrink, widen;
} Row;

static Row row_bounds(const Pool *p, const Work *w, const Site *s, int64_t r) {
    double south = p->lat0 + (double)r * p->dlat - PAD, north = p->lat0 + (double)(r + 1) * p->dlat + PAD;
    double near = fmax(fmax(south - s->lat, s->lat - north), 0.0), far = fmax(fabs(south - s->lat), fabs(north - s->lat));
    Row row = {half_sine2_low(near), half_sine2_high(far), w->cos_low[r] * s->cos_lat * (1.0 - 1e-12),
               w->cos_high[r] * s->cos_lat * (1.0 + 1e-12)};
    return row;
}

/* Tons and clusters in the circle. Blocks wholly inside are contiguous in a row and come from sums made beforehand. */
static double survey(const Pool *p, Work *w, const Circle *c, const Site *s, int64_t *count, int *unsure) {
    double total = 0.0, reach2 = 0.25 * c->high2 * (1.0 + 1e-9), inside2 = 0.25 * c->low2 * (1.0 - 1e-9);
    *count = 0;
    *unsure = 0;
    for (int64_t r = s->r0; r <= s->r1; r++) {
        Row row = row_bounds(p, w, s, r);
        const int64_t *offset = p->offset + r * p->cols;
        if (row.near > reach2) continue;
        int64_t west = s->c0, east = s->c1;
        for (; west <= east; west++) {
            if (row.far + row.widen * w->col_far[west] < inside2) break;
            if (offset[west] < offset[west + 1] && row.near + row.shrink * w->col_near[west] <= reach2)
                total += edge_tons(p, offset[west], offset[west + 1], s, c, count, unsure);
        }
        for (; east > west; east--) {
            if (row.far + row.widen * w->col_far[east] < inside2) break;
            if (offset[east] < offset[east + 1] && row.near + row.shrink * w->col_near[east] <= reach2)
                total += edge_tons(p, offset[east], offset[east + 1], s, c, count, unsure);
        }
        if (west <= east) {
            const double *before = p->tons_before + r * (p->cols + 1);
            total += before[east + 1] - before[west];
            *count += offset[east + 1] - offset[west];
        }
    }
    return total;
}

/* A score below which no cluster of the circle lies. */
static double lowest(const Pool *p, const Site *s) {
    double low = INFINITY;
    for (int64_t r = s->r0; r <= s->r1; r++)
        for (int64_t k = s->c0; k <= s->c1; k++) low = fmin(low, p->first_g[r * p->cols + k]);
    return low + p->key_tau * MIN_HAUL_KM;
}

/* Every cluster of the circle whose score is at most T; returns their tons, or -1 without memory. */
static double gather(const Pool *p, Work *w, const Circle *c, const Site *s, double T) {
    double tons = 0.0, reach2 = 0.25 * c->high2 * (1.0 + 1e-9);
    const double sx = s->x, sy = s->y, sz = s->z, tau = p->key_tau;
    w->size = 0;
    w->rounds++;
    for (int64_t r = s->r0; r <= s->r1; r++) {
        Row row = row_bounds(p, w, s, r);
        if (row.near > reach2) continue;
        const double *first_g = p->first_g + r * p->cols, *least_factor = p->least_factor + r * p->cols;
        for (int64_t k = s->c0; k <= s->c1; k++) {
            double room = T - first_g[k];
            if (!(room >= 0.0)) continue;
            double near2 = row.near + row.shrink * w->col_near[k];
            if (near2 > reach2) continue;
            /* A chord is no longer than its arc. */
            double near = 2.0 * EARTH_KM * (1.0 - 1e-12) * sqrt(near2);
            if (tau * near * least_factor[k] * (1.0 - 1e-9) > room) continue;
            int64_t block = r * p->cols + k, stop = p->offset[block + 1];
            double far2 = row.far + row.widen * w->col_far[k];
            double far = far2 < 0.0025 ? km_of(4.0 * far2) + 1e-6 : INFINITY;
            int64_t band;
            room = T - tau * least_road(p, block, near, far, &band);
            for (int64_t i = p->offset[block]; i < stop; i++) {
                const Cluster *q = &p->cluster[i];
                if (q->g > room) break;
                double dx = q->x - sx, dy = q->y - sy, dz = q->z - sz, c2 = dx * dx + dy * dy + dz * dz;
                if (c2 > c->in2) continue;
                int unsure = 0;
                double road;
                if (band >= 0) {
                    road = km_of(c2) * p->factor[(int64_t)q->zone * p->bands + band];
                    if (road < MIN_HAUL_KM) road = MIN_HAUL_KM;
                } else {
                    road = road_of(p, w->edge2, q, c2, &unsure);
                }
                double key = q->g + tau * road;
                if (key > T) continue;
                if (!push(w, key, road, q->tons, i, unsure)) return -1.0;
                tons += q->tons;
            }
        }
    }
    return tons;
}

/* The plain way: one loop over every cluster of the circle, costed as it comes. */
static double gather_all(const Pool *p, Work *w, const Circle *c, const Site *s) {
    double tons = 0.0, reach2 = 0.25 * c->high2 * (1.0 + 1e-9);
    w->size = 0;
    w->rounds++;
    for (int64_t r = s->r0; r <= s->r1; r++) {
        Row row = row_bounds(p, w, s, r);
        for (int64_t k = s->c0; k <= s->c1; k++) {
            if (row.near + row.shrink * w->col_near[k] > reach2) continue;
            int64_t block = r * p->cols + k, stop = p->offset[block + 1];
            for (int64_t i = p->offset[block]; i < stop; i++) {
                double dx = p->x[i] - s->x, dy = p->y[i] - s->y, dz = p->z[i] - s->z, c2 = dx * dx + dy * dy + dz * dz;
                if (c2 > c->in2) continue;
                const Cluster *q = &p->cluster[i];
                int unsure;
                double road = road_of(p, w->edge2, q, c2, &unsure);
                if (!push(w, q->g + p->key_tau * road, road, q->tons, i, unsure)) return -1.0;
                tons += q->tons;
            }
        }
    }
    return tons;
}

static double unit_of(const Pool *p, const Entry *e) {
    return p->cluster[e->at].harvest + p->tau * e->road + p->unloading;
}

typedef struct {
    double key, unit;
} Cut;

static int after_cut(const Pool *p, const Entry *e, const Cut *cut) {
    if (e->key != cut->key) return e->key > cut->key;
    return unit_of(p, e) > cut->unit;
}

typedef struct {
    double key, unit, tons;
} Ranked;

static int by_rank(const void *a, const void *b) {
    const Ranked *l = a, *r = b;
    if (l->key != r->key) return l->key < r->key ? -1 : 1;
    if (l->unit != r->unit) return l->unit < r->unit ? -1 : 1;
    return 0;
}

/* Score and unit cost of the last cluster taken: tons by bins of score, the marginal bin in order. 0 without memory. */
static int find_cut(const Pool *p, Work *w, double demand, Cut *cut) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < w->size; i++) {
        double key = w->entry[i].key;
        if (key < low) low = key;
        if (key > high) high = key;
    }
    int64_t bins = w->size / 4;
    if (bins < 16) bins = 16;
    if (bins > BINS) bins = BINS;
    double scale = high > low ? (double)(bins - 1) / (high - low) : 0.0;
    memset(w->bin, 0, (size_t)bins * sizeof(double));
    for (int64_t i = 0; i < w->size; i++)
        w->bin[(int64_t)((w->entry[i].key - low) * scale)] += w->entry[i].tons;
    double reached = 0.0;
    int64_t at = 0, n = 0;
    while (at < bins - 1 && reached + w->bin[at] < demand) reached += w->bin[at++];
    for (int64_t i = 0; i < w->size; i++) n += (int64_t)((w->entry[i].key - low) * scale) == at;
    Ranked few[256], *ranked = n > 256 ? malloc((size_t)n * sizeof(Ranked)) : few;
    if (!ranked) return 0;
    n = 0;
    for (int64_t i = 0; i < w->size; i++) {
        const Entry *e = &w->entry[i];
        if ((int64_t)((e->key - low) * scale) != at) continue;
        Ranked r = {e->key, unit_of(p, e), e->tons};
        int64_t j = n++;
        if (ranked != few) {
            ranked[j] = r;
            continue;
        }
        while (j > 0 && by_rank(&ranked[j - 1], &r) > 0) {
            ranked[j] = ranked[j - 1];
            j--;
        }
        ranked[j] = r;
    }
    if (ranked != few) qsort(ranked, (size_t)n, sizeof(Ranked), by_rank);
    for (int64_t i = 0; i < n; i++) {
        reached += ranked[i].tons;
        cut->key = ranked[i].key;
        cut->unit = ranked[i].unit;
        if (reached >= demand) break;
    }
    if (ranked != few) free(ranked);
    return 1;
}

/* Sums over what the cut takes, in the blocks' order. Returns 1 where the reference has to decide. */
static int settle(const Pool *p, const Work *w, double demand, const Cut *cut, double tie, double *out) {
    double tons = 0, harvest = 0, road = 0, burn = 0, known = 0, acres = 0, high = 0, last = -INFINITY, least = 0;
    int64_t count = 0, same = 0;
    int classed = 0;
    double unit_tie = TIE_REL * (fabs(cut->unit) + 100.0);
    for (int64_t i = 0; i < w->size; i++) {
        const Entry *e = &w->entry[i];
        if (e->unsure && e->key <= cut->key + tie) return 1;
        double away = fabs(e->key - cut->key);
        if (away <= tie) {
            /* Where cost has no part in the score, equal scores are equal to the last bit and cost decides. */
            if (p->key_tau > 0.0 || (away == 0.0 && fabs(unit_of(p, e) - cut->unit) <= unit_tie)) same++;
        }
        if (after_cut(p, e, cut)) continue;
        const Cluster *c = &p->cluster[e->at];
        double unit = unit_of(p, e);
        tons += c->tons;
        harvest += c->harvest * c->tons;
        road += e->road * c->tons;
        acres += p->acres[e->at];
        if (c->high > 0) high += p->acres[e->at];
        if (c->high >= 0) classed = 1;
        if (c->burn == c->burn) {
            burn += c->burn * c->tons;
            known += c->tons;
        }
        if (unit > last) last = unit;
        if (e->key == cut->key && unit == cut->unit) least = c->tons;
        count++;
    }
    if (same != 1) return 1;
    if (tons < demand * (1.0 + TONS_REL) || tons - least > demand * (1.0 - TONS_REL)) return 1;
    out[HARVEST] = harvest / tons;
    out[HAUL] = p->tau * (road / tons);
    out[AVERAGE] = out[HARVEST] + out[HAUL] + p->unloading;
    out[LAST_TON] = last;
    out[TAKEN] = tons;
    out[CLUSTERS] = (double)count;
    out[BURN] = known > 0 ? burn / known : NAN;
    out[ROAD] = road / tons;
    out[ACRES] = acres;
    out[HIGH_ACRES] = classed ? high : NAN;
    out[MET] = 1.0;
    return 0;
}

static void release(Work *w) {
    free(w->entry);
    free(w->col_near);
    free(w->col_far);
    free(w->cos_low);
    free(w->cos_high);
    free(w->bin);
}

static int prepare(const Pool *p, Work *w) {
    memset(w, 0, sizeof(*w));
    if (p->bands > MAX_BANDS) return 0;
    w->room = 4096;
    w->entry = malloc((size_t)w->room * sizeof(Entry));
    w->col_near = malloc((size_t)p->cols * sizeof(double));
    w->col_far = malloc((size_t)p->cols * sizeof(double));
    w->cos_low = malloc((size_t)p->rows * sizeof(double));
    w->cos_high = malloc((size_t)p->rows * sizeof(double));
    w->bin = malloc(BINS * sizeof(double));
    if (!(w->entry && w->col_near && w->col_far && w->cos_low && w->cos_high && w->bin)) {
        release(w);
        return 0;
    }
    for (int64_t b = 0; b + 1 < p->bands; b++) w->edge2[b] = squared_chord(p->edge_km[b]);
    for (int64_t r = 0; r < p->rows; r++) {
        double south = p->lat0 + (double)r * p->dlat - PAD, north = p->lat0 + (double)(r + 1) * p->dlat + PAD;
        w->cos_low[r] = fmax(fmin(cos(south), cos(north)), 0.0);
        w->cos_high[r] = south * north < 0 ? 1.0 : fmax(cos(south), cos(north));
    }
    return 1;
}

/* Figures of `n` sites, FIGURES doubles each, and a flag each: 0 done, 1 left to the reference.
   lat, lon in radians, xyz their unit vectors. brute: every cluster of every circle is costed, the plain way that the search
   is measured against. Returns how often clusters were gathered, or -1 without memory. */
API int64_t csrag_statewide(const Pool *p, int64_t n, const double *lat, const double *lon, const double *xyz, double demand,
                            double radius_km, int64_t brute, double *out, int8_t *flag) {
    Work w;
    if (!prepare(p, &w)) return -1;
    Circle c = {radius_km, squared_chord(radius_km), squared_chord(fmax(radius_km - EDGE_KM, 0.0)),
                squared_chord(radius_km + EDGE_KM)};
    double cut_before = NAN, lat_before = 0, lon_before = 0;
    int failed = 0;
    for (int64_t i = 0; i < n && !failed; i++) {
        double *row = out + i * FIGURES;
        Site s = {lat[i], lon[i], cos(lat[i]), xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2], 0, -1, 0, -1};
        int64_t count;
        int unsure;
        for (int f = 0; f < FIGURES; f++) row[f] = NAN;
        row[MET] = 0.0;
        flag[i] = 1;
        look_around(p, &w, &c, &s);
        double available = survey(p, &w, &c, &s, &count, &unsure);
        row[AVAILABLE] = available;
        if (unsure || fabs(available - demand) <= demand * TONS_REL + 1e-6) continue;
        if (available < demand) {
            row[TAKEN] = available;
            row[CLUSTERS] = (double)count;
            flag[i] = 0;
            continue;
        }
        double T, step = p->step;
        if (brute) {
            T = INFINITY;
        } else if (cut_before == cut_before) {
            double dlat = lat[i] - lat_before, dlon = (lon[i] - lon_before) * s.cos_lat;
            double moved = p->slack_per_rad * sqrt(dlat * dlat + dlon * dlon);
            if (moved > 0 && moved < step) step = moved;
            T = cut_before + SLACK * step;
        } else {
            T = lowest(p, &s) + step;
        }
        Cut cut = {0.0, 0.0};
        for (;;) {
            double got = brute ? gather_all(p, &w, &c, &s) : gather(p, &w, &c, &s, T);
            if (got < 0) {
                failed = 1;
                break;
            }
            if (got < demand) {
                if (w.size == count) break; /* all of it, short by a rounding: for the reference */
                T += step;
                step *= 2.0;
                continue;
            }
            if (!find_cut(p, &w, demand, &cut)) {
                failed = 1;
                break;
            }
            double tie = p->key_tau > 0.0 ? TIE_REL * (fabs(cut.key) + 100.0) : 0.0;
            if (T < cut.key + tie) {
                T = cut.key + 2.0 * tie;
                continue;
            }
            flag[i] = (int8_t)settle(p, &w, demand, &cut, tie, row);
            cut_before = cut.key;
            lat_before = lat[i];
            lon_before = lon[i];
            break;
        }
    }
    int64_t rounds = w.rounds;
    release(&w);
    return failed ? -1 : rounds;
}

/* What the library was compiled from; a library of another source is not used. */
API const char *csrag_source(void) { return CSRAG_SOURCE; }
